#pragma once

#include <string>
#include <vector>

#include "experiments/figure/plot/labels.h"
#include "experiments/figure/plot/plot_context.h"
#include "experiments/figure/plot/ticks.h"

namespace orrery {

/// Range, scale, label and ticks of one axis before layout.
struct AxisPlan {
  Label label{};
  AxisScale scale{AxisScale::linear};
  double symlog_threshold{1.0};
  Range data{};
  std::vector<std::string> names{};  ///< labels of whole numbers, shown where they fit
  double first_name{};               ///< the number that the first of them is of
  bool integers{false};              ///< ticks at integers only
  bool downward{false};              ///< smallest value at the top
};

enum class Aspect {
  free,
  square_plot,  ///< width equals height, or is up to style.widest_map times as large
  equal_scale,  ///< a unit has the same length on both axes
};

/// Both axes, laid out around the plot rectangle.
struct Axes {
  Rect plot{};
  Rect x_axis{};
  Rect y_axis{};
  AxisMap x{};
  AxisMap y{};
  Ticks x_ticks{};
  Ticks y_ticks{};
  bool names_on_x{false};
  Label x_label{};
  Label y_label{};
  std::size_t y_label_lines{1};
};

/// Finds the plot rectangle that leaves room for ticks and labels. When space runs short the axis
/// labels are dropped first, then the tick labels; the plot is empty only if `room` is.
Axes place_axes(const PlotContext& context, AxisPlan x, AxisPlan y, const Rect& room,
                Aspect aspect);

/// Draws background and grid lines; call before drawing the data.
void draw_plot_background(PlotContext& context, const Axes& axes, bool grid);
/// Draws axis lines, ticks and labels and records both axes in the layout; call after drawing the
/// data.
void draw_axes(PlotContext& context, const Axes& axes);

/// Plan for an axis of a figure; `scale` and `threshold` are the reader's choices, if any.
AxisPlan plan_axis(const Axis& axis, const std::optional<AxisScale>& scale, const Range& data,
                   const std::optional<double>& threshold = {});

}  // namespace orrery
