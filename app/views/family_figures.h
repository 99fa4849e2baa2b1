#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/views/figures.h"

namespace orrery {

struct SweptResults {
  std::shared_ptr<const Result> result{};                ///< on screen
  std::vector<std::shared_ptr<const Result>> members{};  ///< at the values that are swept
  std::string key{};                                     ///< of the parameter
  friend bool operator==(const SweptResults&, const SweptResults&) = default;
};

/// The figures of a number that is swept in place: see family.
struct FamilyFigures {
  Figures figures{};                        ///< those of the result; curves as families
  std::set<std::string> in_place{};         ///< ids of the families among them
  std::map<std::string, Figures> panels{};  ///< figures at each value, where one cannot show all

  bool empty() const { return in_place.empty() && panels.empty(); }
};
FamilyFigures family_figures(const SweptResults& input);

}  // namespace orrery
