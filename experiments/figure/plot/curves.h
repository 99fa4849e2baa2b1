#pragma once

#include <vector>

#include "experiments/figure/plot/axes.h"

namespace orrery {

/// The stroke of a curve in its own colour.
Stroke curve_stroke(const FigureStyle& style, const Series& series);
double dot_radius(const FigureStyle& style);
void draw_dot(Canvas& canvas, Point centre, double radius, Color color);

/// The parts of a curve that the plot shows, as draw_curves draws them.
const std::vector<Strip>& visible_strips(PlotContext& context, const Series& series,
                                         const Axes& axes);

/// Where these parts run.
Silhouette silhouette_of(PlotContext& context, const Series& series, const Axes& axes);

/// Draw the bands of spread and the curves, clipped to the plot, without hidden series. Bands are
/// drawn first, then ghosts.
void draw_bands(PlotContext& context, const LinePlot& plot, const Axes& axes);
void draw_band(PlotContext& context, const Series& series, const Axes& axes);
void draw_curve(PlotContext& context, const Series& series, const Axes& axes);
void draw_curves(PlotContext& context, const LinePlot& plot, const Axes& axes);

/// Draws a short sample of a curve in its colour and style, for legends and readouts.
void draw_sample(PlotContext& context, const Series& series, Point from, Point to);
Color series_color(const FigureStyle& style, const Series& series);

}  // namespace orrery
