#pragma once

#include <string_view>

#include "experiments/figure/equation/node.h"

namespace orrery::figure {

/// What a text is taken for: prose, in which a lone capital or the letter a is a word; the symbol
/// of a quantity, in which they are variables; or words alone, as the user's tokens are.
enum class Reading { prose, symbol, words };

/// A line of text as a row: words in the font of text, and the symbols between them as formulas.
/// People and the command line write symbols as plain text, "q_mᵀk_n" or "e^{i(m−n)θ_t}": a single
/// letter, with Unicode's scripts or with _ and ^, alone or joined by signs and brackets. What is
/// quoted “so” is words, as tokens are.
EquationNode read_text(std::string_view text, Reading reading = Reading::prose, bool bold = false);

/// Whether read_text finds any symbol.
bool has_symbols(std::string_view text, Reading reading = Reading::prose);

}  // namespace orrery::figure
