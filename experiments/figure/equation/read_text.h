#pragma once

#include <string_view>

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

}  // namespace orrery
