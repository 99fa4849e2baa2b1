#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/figure/plot/axes.h"
#include "experiments/model/figure.h"

namespace orrery {

/// The numbers of a map as places that are spread evenly over its colours: log10 of a number (−∞
/// for one that is not above 0), or its rank among the finite, unmasked ones as a fraction from 0
/// to 1, equal numbers at the mean of their ranks. NaN stays NaN.
std::shared_ptr<const Array> scaled_values(const Heatmap& map);

/// The colour bar beside a map or a plane of arrows.
struct ColorBarPlan {
  /// A colour with a label below the bar, for cells outside the colour map: masked, NaN.
  struct Key {
    Color color{};
    std::string_view word{};
  };
  const Colormap* map{nullptr};
  Range range{};
  Label label{};
  Meaning meaning{Meaning::sequential};
  AxisScale scale{AxisScale::linear};
  std::vector<std::pair<double, std::string>> ticks{};  ///< in place of those of the scale
  std::vector<Key> keys{};                              ///< below the bar
  int classes{};  ///< colours of which the bar has a field each, from 0; 0 where they flow
};

/// Gives the bar the map's own numbers, and returns the range of places that the colours cover.
/// @param wanted  range of numbers that the colours are to cover; of log alone
Range scale_colors(const Heatmap& map, const std::optional<Range>& wanted, ColorBarPlan& bar);

/// Width of the bar beside a plot of this height, including its gap; 0 when the room is too small
/// for both.
double color_bar_width(const PlotContext& context, const ColorBarPlan& plan, const Rect& room);

/// Draws the bar to the right of the plot and records it in the layout.
void draw_color_bar(PlotContext& context, const ColorBarPlan& plan, const Rect& plot, double width);

/// Draws the colours at the right below the axis, with the ends of their range and the keys.
/// Nothing where the axis has no room for it.
void draw_small_key(PlotContext& context, const ColorBarPlan& plan, const Axes& axes);

}  // namespace orrery
