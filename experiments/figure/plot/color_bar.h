#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/figure/plot/axes.h"

namespace orrery {

/// A colour with a label below the bar, for cells outside the colour map: masked, NaN.
struct ColorKey {
  Color color{};
  std::string_view word{};
};

/// The colour bar beside a map or a plane of arrows.
struct ColorBarPlan {
  const Colormap* map{nullptr};
  Range range{};
  Label label{};
  Meaning meaning{Meaning::sequential};
  AxisScale scale{AxisScale::linear};
  std::vector<std::pair<double, std::string>> ticks{};  ///< in place of those of the scale
  std::vector<ColorKey> keys{};                         ///< below the bar
};

/// Width of the bar beside a plot of this height, including its gap; 0 when the room is too small
/// for both.
double color_bar_width(const PlotContext& context, const ColorBarPlan& plan, const Rect& room);

/// Draws the bar to the right of the plot and records it in the layout.
void draw_color_bar(PlotContext& context, const ColorBarPlan& plan, const Rect& plot, double width);

/// Draws the colours at the right below the axis, with the ends of their range and the keys.
/// Nothing where the axis has no room for it.
void draw_small_key(PlotContext& context, const ColorBarPlan& plan, const Axes& axes);

}  // namespace orrery
