#pragma once

#include <string_view>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/equation/box.h"
#include "experiments/figure/equation/parse.h"

namespace orrery {

/// Marked text as a row: words in the font of text, and $formulas$ between them. A formula that
/// cannot be parsed stands there as it was written.
EquationNode read_text(std::string_view marked, bool bold = false);

/// The same, kept: figures measure each line several times, and the screen in every frame. Valid
/// until the next call of this thread.
const EquationNode& known_text(std::string_view marked, bool bold = false);

/// Whether read_text finds a formula.
bool has_formula(std::string_view marked);

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
