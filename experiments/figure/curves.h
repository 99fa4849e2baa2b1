#pragma once

#include "experiments/figure/axes.h"

namespace orrery {

Stroke curve_stroke(const FigureStyle& style, LineStyle line, Color color);
double dot_radius(const FigureStyle& style);
void draw_dot(Canvas& canvas, Point centre, double radius, Color color);

/// Bands of spread first, then the curves, clipped to the plot. Hidden series are left out.
void draw_bands(Sheet& sheet, const LinePlot& plot, const Axes& axes);
void draw_curves(Sheet& sheet, const LinePlot& plot, const Axes& axes);

/// Reference lines and their labels, each label where it meets no other label nor the legend and
/// covers the least of `marks`. A label that finds no place is left out.
void draw_rules(Sheet& sheet, const LinePlot& plot, const Axes& axes, const Rect& legend,
                const std::vector<Point>& marks);

}  // namespace orrery
