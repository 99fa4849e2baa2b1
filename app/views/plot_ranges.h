#pragma once

#include <optional>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/axis_map.h"
#include "experiments/figure/plot/figure_layout.h"

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

/// The part of a colour bar that is dragged.
enum class ColorGrip { none, low, high, both };

/// The grip under the cursor: an end of the bar, or the middle for both. A diverging bar stays
/// centred on 0, so that each half holds its end; the turn of a cyclic one is fixed.
ColorGrip color_grip_at(const FigureLayout& frame, Meaning meaning, Point cursor);

/// The range after the grip was dragged between two pixels; `axis` is the bar's when the drag
/// began. Empty where nothing would be left of the range.
std::optional<Range> dragged_color(const AxisMap& axis, ColorGrip grip, Meaning meaning,
                                   double from, double to);
/// The range after the wheel turned over the bar: closer about the cursor for a factor below 1.
std::optional<Range> zoomed_color(const AxisMap& axis, Meaning meaning, double at, double factor);

}  // namespace orrery
