#pragma once

#include <string_view>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/equation/box.h"
#include "experiments/figure/equation/inline_symbols.h"

namespace orrery::figure {

// Lines of text whose symbols are set as mathematics: labels, names, captions, statements. One
// without symbols is drawn as the canvas draws any text.

/// As Canvas::text_size.
Size rich_size(const Canvas& canvas, std::string_view text, const TextStyle& style,
               Reading reading = Reading::prose);

/// As Canvas::text.
void draw_rich(Canvas& canvas, Point anchor, std::string_view text, const TextStyle& style,
               Reading reading = Reading::prose);

/// Draws a row that read_text made.
void draw_row(Canvas& canvas, Point anchor, const EquationNode& row, const TextStyle& style);
double row_width(const Canvas& canvas, const EquationNode& row, const TextStyle& style);

}  // namespace orrery::figure
