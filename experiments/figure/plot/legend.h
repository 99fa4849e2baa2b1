#pragma once

#include <string>
#include <vector>

#include "experiments/figure/plot/axes.h"

namespace orrery {

/// Names of ghosts, and of curves that end before the plot does, beside their lines.
struct GhostNames {
  struct Place {
    const Series* ghost{};
    std::string name{};  ///< elided
    Rect box{};
  };
  std::vector<Place> placed{};
  /// A ghost of each result none of whose ghosts found a place: for the legend.
  std::vector<const Series*> unplaced{};
};

/// Finds places for the names of visible curves that `legend` does not have: after the end of the
/// line, else above, below or right of it as far to the right as possible; nearer to it than to any
/// other curve and clear of curves, reference lines and what is `taken`. Results that `legend` names
/// need none.
GhostNames place_ghost_names(PlotContext& context, const LinePlot& plot, const Axes& axes,
                             std::vector<Rect> taken, const std::vector<const Series*>& legend);
/// Draws the names and records their places in the layout.
void draw_ghost_names(PlotContext& context, const GhostNames& names);

/// Names of the curves, each with a sample of its line.
struct Legend {
  std::vector<const Series*> entries{};
  std::vector<std::string> names{};  ///< elided
  std::size_t missing{};             ///< number of entries that did not fit
  Size size{};
  Point corner{};
};

/// The curves that a legend names: those with a name, without ghosts.
std::vector<const Series*> legend_curves(const LinePlot& plot);

/// Lays out a legend of these curves, of at most this size. Long names are shortened in the middle;
/// a last row counts the entries that do not fit. Empty when there is nothing to name or too little
/// room for recognisable names.
Legend make_legend(const PlotContext& context, const std::vector<const Series*>& curves,
                   double max_width, double max_height);

/// Moves the legend to where it covers the fewest of `marks`, which are points along the curves, and
/// returns how many it covers there.
double cover_least(const PlotContext& context, Legend& legend, const Rect& plot,
                   const std::vector<Point>& marks);

/// Draws the legend and records the boxes of its entries in the layout.
void draw_legend(PlotContext& context, const Legend& legend, bool over_data);

}  // namespace orrery
