#pragma once

#include <optional>
#include <vector>

#include "experiments/figure/plot/axes.h"

namespace orrery {

/// Names of the curves, each with a sample of its line.
struct Legend {
  std::vector<const Series*> entries{};
  std::vector<std::string> names{};  ///< elided
  std::size_t missing{};             ///< number of entries that did not fit
  Size size{};
};

/// The curves that a legend names: those with a name, without ghosts.
std::vector<const Series*> legend_curves(const LinePlot& plot);

/// Lays out a legend of these curves, of at most this size. Long names are shortened in the middle;
/// a last row counts the entries that do not fit. Empty when there is nothing to name or too little
/// room for recognisable names.
Legend make_legend(const PlotContext& context, const std::vector<const Series*>& curves,
                   double max_width, double max_height);

/// A position of the legend, and the number of marks that it covers there.
struct LegendPlace {
  Point corner{};
  double covered{};
};
/// The position inside the plot at which the legend covers the fewest of `marks`, which are points
/// along the curves.
LegendPlace least_covering(const PlotContext& context, const Legend& legend, const Rect& plot,
                           const std::vector<Point>& marks);

/// Draws the legend and records the boxes of its entries in the layout.
void draw_legend(PlotContext& context, const Legend& legend, Point corner, bool over_data);

}  // namespace orrery
