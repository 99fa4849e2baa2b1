#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// The numbers of a map as places that are spread evenly over its colours: log10 of a number (−∞
/// for one that is not above 0), or its rank among the finite, unmasked ones as a fraction from 0
/// to 1, equal numbers at the mean of their ranks. NaN stays NaN.
std::shared_ptr<const Array> scaled_values(const Heatmap& map);

/// Range of those places that the colours cover, and the colour bar in the map's own numbers.
struct ScaledColors {
  Range places{};
  Range bar{};
  AxisScale scale{AxisScale::linear};
  std::vector<std::pair<double, std::string>> ticks{};  ///< place on the bar and label; or none
};

/// @param wanted  range of numbers that the colours are to cover; of log alone
ScaledColors scaled_colors(const Heatmap& map, const std::optional<Range>& wanted);

}  // namespace orrery
