#pragma once

#include <span>
#include <string>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// A number with at most two decimals, in any locale: "12.5", "-.25", "7". `value` must be finite.
std::string svg_number(double value);

/// The points as the `d` attribute of an SVG path: "M3 4l1 0 .5-2". Steps are differences of
/// rounded points, so that rounding errors do not add up. Points that round to the previous one are
/// left out; the path of a single point is empty.
std::string svg_path(std::span<const Point> points);

}  // namespace orrery
