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
    double height{};
    double end{};  ///< y at which the curve ends
    double y{};    ///< of the middle of the name
  };
  std::vector<Place> places{};  ///< from top to bottom
  double width{};               ///< of the widest name
};

/// Finds places for the names of `curves` right of the plot, each as near to the end of its line as
/// the others leave room and on up to three lines, curves that coincide under one name. Empty where
/// a curve does not reach the right end, where the names are too many or too wide, or where there
/// is nothing to tell apart.
std::optional<LineNames> place_line_names(PlotContext& context,
                                          const std::vector<const Series*>& curves,
                                          const Axes& axes, double room_width);
/// Draws them right of the plot.
void draw_line_names(PlotContext& context, const LineNames& names, const Axes& axes);

/// The room that they need right of the plot.
double line_names_width(const PlotContext& context, const LineNames& names);

}  // namespace orrery
