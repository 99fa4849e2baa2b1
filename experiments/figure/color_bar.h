#pragma once

#include "experiments/figure/axes.h"

namespace orrery {

/// The strip of colours beside a map.
struct ColorBarPlan {
  const Colormap* map{nullptr};
  Range range{};
  Label label{};
  Meaning meaning{Meaning::sequential};
  bool masked{false};  ///< whether to add the key of masked cells below
};

/// Width that the bar takes beside a plot of this height, with its gap; 0 when there is no room for
/// it beside a plot worth having.
double color_bar_width(const Sheet& sheet, const ColorBarPlan& plan, const Rect& room);

/// Draws it to the right of the plot and reports it to the frame.
void draw_color_bar(Sheet& sheet, const ColorBarPlan& plan, const Rect& plot, double width);

}  // namespace orrery
