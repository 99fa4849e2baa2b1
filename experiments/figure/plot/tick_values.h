#pragma once

#include <string>
#include <vector>

#include "experiments/figure/plot/axis_map.h"

namespace orrery {

/// Candidate ticks, before their labels are measured.
struct TickValues {
  std::vector<double> major{};
  std::vector<std::string> labels{};  ///< one per major tick
  std::vector<double> minor{};
};

inline constexpr int coarseness_levels = 12;

/// Candidates at one level of coarseness: level 0 has up to about `at_most` ticks, each further
/// level fewer. Empty when the scale has none at this level.
TickValues tick_values(const AxisMap& axis, int at_most, int coarseness, bool integers);

}  // namespace orrery
