#pragma once

#include "experiments/figure/axes.h"

namespace orrery {

/// A colour outside the strip: masked cells, NaN.
struct ColorKey {
  Color color{};
  std::string_view word{};
};

/// The strip of colours beside a map.
struct ColorBarPlan {
  const Colormap* map{nullptr};
  Range range{};
  Label label{};
  Meaning meaning{Meaning::sequential};
  std::vector<ColorKey> keys{};  ///< below the bar
};

/// Width that the bar takes beside a plot of this height, with its gap; 0 when there is no room for
/// it beside a plot worth having.
double color_bar_width(const Sheet& sheet, const ColorBarPlan& plan, const Rect& room);

/// Draws it to the right of the plot and reports it to the frame.
void draw_color_bar(Sheet& sheet, const ColorBarPlan& plan, const Rect& plot, double width);

}  // namespace orrery
