#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "app/views/figures.h"

namespace orrery {

struct ReferencesBehind {
  Figures figures{};
  std::shared_ptr<const Result> result{};                 ///< whose settings they have
  std::vector<std::shared_ptr<const Result>> others{};    ///< references, and before a drag
  std::size_t pinned{};                                   ///< of those, how many are references
  std::map<std::string, std::set<std::string>> hidden{};  ///< names of curves, by figure
  friend bool operator==(const ReferencesBehind&, const ReferencesBehind&) = default;
};

/// The figures with the curves of others behind their own, thin and grey.
Figures with_references_behind(const ReferencesBehind& input);

struct MinusReference {
  std::shared_ptr<const Result> result{};
  std::shared_ptr<const Result> reference{};
  friend bool operator==(const MinusReference&, const MinusReference&) = default;
};

/// What differs in the figures of a result from those of a reference. One that has no difference
/// stays as it is.
Figures minus_reference(const MinusReference& input);

}  // namespace orrery
