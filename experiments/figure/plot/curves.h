#pragma once

#include <span>
#include <vector>

#include "experiments/figure/plot/axes.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Draws reference lines with their labels. Each label goes where it overlaps neither what is
/// `taken` nor another label and covers the fewest of `marks`; without such a position it is left
/// out.
void draw_reference_lines(PlotContext& context, std::span<const Rule> rules, const Axes& axes,
                          std::vector<Rect> taken, const std::vector<Point>& marks);

/// Draws lines over a map, on a margin that sets them apart from any colour, each with its label
/// to the left of it where there is room.
void draw_map_lines(PlotContext& context, std::span<const MapLine> lines, const Axes& axes);

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
