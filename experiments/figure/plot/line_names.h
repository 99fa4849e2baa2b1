#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/figure/plot/axes.h"

namespace orrery {

/// Names of curves at the ends of their lines, in place of a legend.
struct LineNames {
  struct Place {
    std::vector<const Series*> curves{};  ///< that coincide; the colour is the first's
    std::vector<std::string> lines{};     ///< of the name
  };
  std::vector<Place> places{};
  double width{};  ///< of the widest name
};

/// Whether the curve reaches the right end of the plot, where its name can stand.
bool reaches_end(const Series& series, const Axes& axes);

/// Breaks the names of `curves` into at most three lines each, right of the plot, curves that
/// coincide under one name. Empty where there is none, or where they are too many or too wide. The
/// same wherever a reader pans and zooms.
/// @param whole  the axes at the ranges that show all of the plot
std::optional<LineNames> place_line_names(PlotContext& context,
                                          const std::vector<const Series*>& curves,
                                          const Axes& whole, double room_width);

/// The room that they need right of the plot.
double line_names_width(const PlotContext& context, const LineNames& names);

/// Draws them right of the plot, each as near to the end of its line as the others leave room, and
/// records their boxes in the layout.
void draw_line_names(PlotContext& context, const LineNames& names, const Axes& axes);

}  // namespace orrery
