#pragma once

#include <optional>

#include "experiments/figure/plot/axis_map.h"

namespace orrery {

// The data ranges that result from gestures. They are computed on the canvas, so that they apply to
// every axis scale; empty where the range could not be shown.

/// The range after the plot was dragged by `by` pixels along the axis.
std::optional<Range> panned(const AxisMap& axis, double by);
/// The range after zooming by `factor` (below 1: closer) about the pixel `at`, which stays in
/// place.
std::optional<Range> zoomed(const AxisMap& axis, double at, double factor);
/// The range between two pixels.
std::optional<Range> between_pixels(const AxisMap& axis, double a, double b);
/// `range` moved, and if need be cut, to lie in `home`.
Range kept_within(Range range, const Range& home);

}  // namespace orrery
