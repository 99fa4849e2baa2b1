#pragma once

#include <cstddef>
#include <vector>

#include "experiments/model/figure.h"
#include "experiments/sweeps/saved_sweep.h"

namespace orrery::reports {

inline constexpr std::size_t most_overview_figures = 36;

/// Each scalar over each swept key with numeric values: one curve per value of the other key with
/// the most values, one figure per combination of the remaining keys. Repeats are shown as mean and
/// standard deviation. Combinations with the same curves share one figure. Returns at most
/// most_overview_figures.
std::vector<Figure> overview_figures(const SavedSweep& sweep);

}  // namespace orrery::reports
