#pragma once

#include <optional>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/axis_map.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

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
