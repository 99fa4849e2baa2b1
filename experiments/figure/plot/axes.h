#pragma once

#include <string>
#include <vector>

#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/figure/plot/ticks.h"

namespace orrery {

/// Shared state of the functions that draw one figure: canvas, style, view, caches, and the layout
/// that they fill in.
struct PlotContext {
  Canvas& canvas;
  const FigureStyle& style;
  const FigureView& view;
  HeatmapCache* cache;
  CurveCache& curves;
  FigureLayout& layout;
  double content_bottom{};  ///< bottom of the content, above the caption
  Coincidences twins{};     ///< of the curves that are drawn
};

// Draw the content of a figure of each kind into `room`, the area without title and caption.
void draw_content(PlotContext& context, const LinePlot& plot, const Rect& room);
void draw_content(PlotContext& context, const Heatmap& map, const Rect& room);
void draw_content(PlotContext& context, const TableFigure& table, const Rect& room);
void draw_content(PlotContext& context, const VectorPlot& plot, const Rect& room);
void draw_content(PlotContext& context, const MapEquation& equation, const Rect& room);

// Text styles and lengths shared by all parts of a figure.
TextStyle label_style(const FigureStyle& style);
TextStyle tick_style(const FigureStyle& style);
TextStyle aligned_text(TextStyle text, VerticalAlign vertical,
                       HorizontalAlign horizontal = HorizontalAlign::left);
double line_height(const Canvas& canvas, const TextStyle& style);
inline double gap(const FigureStyle& style) { return 0.45 * style.text_size; }
inline double tick_length(const FigureStyle& style) { return 0.35 * style.small_size; }
/// Width of axes, grid lines and ticks.
inline double hairline(const FigureStyle& style) { return style.line_width * 0.5; }
inline Background background_of(const FigureStyle& style) {
  return is_dark(style.plot_background) ? Background::dark : Background::light;
}

/// The rectangle and a margin around it.
inline Rect grown(const Rect& r, double by) {
  return {r.x - by, r.y - by, r.width + 2.0 * by, r.height + 2.0 * by};
}
Rect shrunk(const Rect& rect, double left, double top, double right, double bottom);
bool overlap(const Rect& a, const Rect& b);
bool is_within(const Rect& inner, const Rect& outer);
void draw_segment(Canvas& canvas, Point from, Point to, const Stroke& stroke);
void draw_outline(Canvas& canvas, const Rect& rect, const Stroke& stroke);

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
