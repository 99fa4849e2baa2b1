#pragma once

#include <string>
#include <vector>

#include "experiments/figure/sheet.h"
#include "experiments/figure/text.h"
#include "experiments/figure/ticks.h"

namespace orrery {

/// One axis to be laid out: what it shows and how it is named.
struct AxisPlan {
  Label label{};
  AxisScale scale{AxisScale::linear};
  double symlog_threshold{1.0};
  Range data{};
  std::vector<std::string> names{};  ///< of the whole numbers, shown where they have room
  bool integers{false};              ///< ticks at whole numbers only
  bool downward{false};              ///< the least value on top
};

enum class Aspect {
  free,
  square_plot,  ///< as wide as high
  equal_scale,  ///< a unit is as long on both axes
};

/// Both axes laid out around the plot.
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
};

/// Finds the plot rectangle that leaves room for ticks and labels. With too little room the labels
/// go first, then the tick labels; the plot is never empty unless the room is.
Axes place_axes(const Sheet& sheet, AxisPlan x, AxisPlan y, const Rect& room, Aspect aspect);

/// Background and grid lines, to be drawn before the data.
void draw_plot_ground(Sheet& sheet, const Axes& axes, bool grid);
/// Axis lines, ticks and labels, to be drawn after the data; reports both axes to the frame.
void draw_axes(Sheet& sheet, const Axes& axes);

/// Label, scale and ticks of an axis as the figure and the reader's view say.
AxisPlan plan_axis(const Axis& axis, const std::optional<AxisScale>& scale, const Range& data,
                   const std::optional<double>& threshold = {});

}  // namespace orrery
