#pragma once

#include <string>
#include <vector>

#include "experiments/figure/layout.h"

namespace orrery {

/// Where ticks could be, before anything is measured.
struct TickValues {
  std::vector<double> major{};
  std::vector<std::string> labels{};  ///< one a major tick
  std::vector<double> minor{};
};

inline constexpr int coarseness_levels = 12;

/// Candidates of one coarseness: 0 has at most about `at_most` ticks, each further level fewer.
/// Empty when the scale has none at this level.
TickValues tick_values(const AxisMap& axis, int at_most, int coarseness, bool integers);

}  // namespace orrery
