#pragma once

#include <string>
#include <vector>

#include "experiments/figure/plot/axes.h"

namespace orrery {

/// Names of ghosts beside their lines.
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

/// Finds places for the names of visible ghosts: after the end of the line, else above, below or
/// right of it as far to the right as possible; nearer to it than to any other curve and clear of
/// curves, reference lines and what is `taken`. Results that `legend` names need none.
GhostNames place_ghost_names(PlotContext& context, const LinePlot& plot, const Axes& axes,
                             std::vector<Rect> taken, const std::vector<const Series*>& legend);
/// Draws the names and records their places in the layout.
void draw_ghost_names(PlotContext& context, const GhostNames& names);

}  // namespace orrery
