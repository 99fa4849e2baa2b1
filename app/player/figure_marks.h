#pragma once

#include <vector>

#include "app/gui/ui.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

// Strokes over a figure that has been drawn.

void draw_frame(Canvas& canvas, const Rect& rect, const Stroke& stroke);

void draw_mark_dot(Canvas& canvas, Point at, double radius, Color color);

/// A line through points in data coordinates; those that have no place are left out.
void draw_curve(Canvas& canvas, const FigureLayout& layout, const std::vector<double>& x,
                const std::vector<double>& y, const Stroke& stroke);

/// A broad pale line behind a curve, which lights it up.
void draw_glow(Canvas& canvas, const FigureLayout& layout, const Series& series, const Ui& ui);

}  // namespace orrery
