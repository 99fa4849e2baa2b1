#pragma once

#include <memory>
#include <set>
#include <string>

#include "experiments/model/experiment.h"

namespace orrery {

/// What the last move of one control did, found by comparing the results before and after it.
struct ObservedMove {
  std::string key{};
  std::string from{}, to{};           ///< its values as text
  ParamSet params{{}};                ///< after it
  std::set<std::string> unchanged{};  ///< ids of the figures that draw the same before and after
};

/// Whether two figures draw the same numbers, words and lines, whatever title and caption say.
bool draws_same(const Figure& a, const Figure& b);

/// Null unless exactly one parameter differs.
std::shared_ptr<const ObservedMove> observed_move(const Result& before, const ParamSet& from,
                                                  const Result& after, const ParamSet& to);

}  // namespace orrery
