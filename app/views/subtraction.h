#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/views/figures.h"
#include "experiments/model/figure.h"

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

/// Something that may be subtracted from a figure of a result.
struct MinusChoice {
  Subtrahend what{};
  std::string title{};  ///< "ALiBi − RoPE: attention weight"
};

/// What may be subtracted from the figure of this id: other figures of the result that show the
/// same quantity over the same axes, and each of its own curves where it has several.
std::vector<MinusChoice> minus_choices(const Result& result, const std::string& figure);

/// Shows a figure minus something from now on, or the figure itself again.
void set_minus(ViewState& shown, const std::string& figure, const std::optional<Subtrahend>& what);

struct MinusOthers {
  std::shared_ptr<const Result> result{};
  std::map<std::string, Subtrahend> minus{};  ///< by figure, see ViewState::minus
  friend bool operator==(const MinusOthers&, const MinusOthers&) = default;
};

/// The differences, by figure; without those from which nothing can be subtracted.
std::map<std::string, FigurePtr> minus_others(const MinusOthers& input);

}  // namespace orrery
