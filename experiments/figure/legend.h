#pragma once

#include <optional>
#include <vector>

#include "experiments/figure/axes.h"

namespace orrery {

/// The names of the curves with a sample of each.
struct Legend {
  std::vector<const Series*> entries{};
  std::vector<std::string> names{};  ///< elided
  std::size_t missing{};             ///< how many had no place
  Size size{};
};

/// Measures a legend of at most `most_width`; long names lose their middle. Entries that do not fit
/// into `most_height` are counted in a last line. Empty when there is nothing to name or no room in
/// which names could be told apart.
Legend make_legend(const Sheet& sheet, const LinePlot& plot, double most_width, double most_height);

/// The place within the plot where the legend covers the least of the curves, and how many of
/// `marks` it covers there.
struct LegendPlace {
  Point corner{};
  double covered{};
};
LegendPlace least_covering(const Sheet& sheet, const Legend& legend, const Rect& plot,
                           const std::vector<Point>& marks);

/// Draws it and reports its boxes to the frame.
void draw_legend(Sheet& sheet, const Legend& legend, Point corner, bool over_data);

/// A short piece of a curve in its own colour and style, for legends and readouts.
void draw_sample(Sheet& sheet, const Series& series, Point from, Point to);
Color series_color(const FigureStyle& style, int slot);

}  // namespace orrery
