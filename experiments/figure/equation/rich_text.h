#pragma once

#include <string_view>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/equation/box.h"
#include "experiments/figure/equation/read_text.h"

namespace orrery {

// Lines of marked text: labels, names, captions, statements. One without formulas is drawn as the
// canvas draws any text.

/// As Canvas::text_size.
Size rich_size(const Canvas& canvas, std::string_view marked, const TextStyle& style);

/// As Canvas::text.
void draw_rich(Canvas& canvas, Point anchor, std::string_view marked, const TextStyle& style);

/// Draws a row that read_text made.
void draw_row(Canvas& canvas, Point anchor, const EquationNode& row, const TextStyle& style);
double row_width(const Canvas& canvas, const EquationNode& row, const TextStyle& style);

}  // namespace orrery
