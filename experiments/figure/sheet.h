#pragma once

#include <vector>

#include "experiments/figure/colormap.h"
#include "experiments/figure/curve_cache.h"
#include "experiments/figure/layout.h"
#include "experiments/figure/oklab.h"

namespace orrery {

/// What every part of the layout draws with, and where it reports to.
struct Sheet {
  Canvas& canvas;
  const FigureStyle& style;
  const FigureView& view;
  HeatmapCache* cache;
  CurveCache& curves;
  FigureFrame& frame;
  double content_bottom{};  ///< where the content ends; the caption follows
};

// The four kinds, each in the part of the area that title and caption leave.
void draw_content(Sheet& sheet, const LinePlot& plot, const Rect& room);
void draw_content(Sheet& sheet, const Heatmap& map, const Rect& room);
void draw_content(Sheet& sheet, const TableFigure& table, const Rect& room);
void draw_content(Sheet& sheet, const VectorPlot& plot, const Rect& room);

// Measures that all parts share.
TextStyle label_style(const FigureStyle& style);
TextStyle tick_style(const FigureStyle& style);
double line_height(const Canvas& canvas, const TextStyle& style);
inline double gap(const FigureStyle& style) { return 0.45 * style.text_size; }
/// One hair at scale 1, in proportion at others.
inline double hairline(const FigureStyle& style) { return style.line_width * 0.5; }
inline Ground ground(const FigureStyle& style) {
  return is_dark(style.plot_background) ? Ground::dark : Ground::light;
}

Rect shrunk(const Rect& rect, double left, double top, double right, double bottom);
void draw_segment(Canvas& canvas, Point from, Point to, const Stroke& stroke);
void draw_frame_of(Canvas& canvas, const Rect& rect, const Stroke& stroke);

}  // namespace orrery
