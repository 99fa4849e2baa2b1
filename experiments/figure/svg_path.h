#pragma once

#include <span>
#include <string>

#include "experiments/figure/canvas.h"

namespace orrery {

/// "12.5", "-.25", "7": at most two decimals, in any locale. Breaks an invariant when not finite.
std::string svg_number(double value);

/// The points as the `d` of an SVG path: "M3 4l1 0 .5-2". Steps are taken between the rounded
/// points, so that errors do not add up. Points that round to the one before are left out; a single
/// point has no path.
std::string svg_path(std::span<const Point> points);

}  // namespace orrery
