#pragma once

#include <vector>

#include "experiments/figure/plot/axes.h"

namespace orrery::figure {

/// Draws the plot's reference lines with their labels. Each label goes where it overlaps neither
/// what is `taken` nor another label and covers the fewest of `marks`; without such a position it
/// is left out.
void draw_reference_lines(PlotContext& context, const LinePlot& plot, const Axes& axes,
                          std::vector<Rect> taken, const std::vector<Point>& marks);

}  // namespace orrery::figure
