#pragma once

#include "experiments/figure/axes.h"

namespace orrery {

Stroke curve_stroke(const FigureStyle& style, LineStyle line, Color color);
double dot_radius(const FigureStyle& style);
void draw_dot(Canvas& canvas, Point centre, double radius, Color color);

/// Bands of spread first, then the curves, clipped to the plot. Hidden series are left out.
void draw_bands(Sheet& sheet, const LinePlot& plot, const Axes& axes);
void draw_curves(Sheet& sheet, const LinePlot& plot, const Axes& axes);

/// Reference lines and their labels, each label where it meets no other; returns the labels' boxes.
std::vector<Rect> draw_rules(Sheet& sheet, const LinePlot& plot, const Axes& axes);

}  // namespace orrery
