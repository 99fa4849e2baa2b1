#pragma once

#include "experiments/figure/color/oklab.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/figure/plot/heatmap_cache.h"

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

}  // namespace orrery
