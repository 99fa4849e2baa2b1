#pragma once

#include <span>
#include <vector>

#include "experiments/figure/plot/axes.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Draws reference lines with their labels. Each label goes where it overlaps neither what is
/// `taken` nor another label and covers the fewest of `marks`; without such a position it is left
/// out.
void draw_reference_lines(PlotContext& context, std::span<const Rule> rules, const Axes& axes,
                          std::vector<Rect> taken, const std::vector<Point>& marks);

/// Draws lines over a map, on a margin that sets them apart from any colour, each with its label
/// to the left of it where there is room.
void draw_map_lines(PlotContext& context, std::span<const MapLine> lines, const Axes& axes);

}  // namespace orrery
