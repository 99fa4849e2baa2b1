#pragma once

#include <string>
#include <string_view>

#include "experiments/figure/equation/parse.h"

namespace orrery {

/// Words as LaTeX sets them: what LaTeX reads as commands is escaped, and mathematical signs of
/// Unicode are written as mathematics, which pdflatex has.
std::string latex_words(std::string_view words);

/// The same for marked text, whose formulas are typed in Unicode.
std::string latex_text(std::string_view marked);

/// A formula as one line of Unicode, for a terminal: scripts where Unicode has their letters, and
/// "x_q" or "x_(…)" otherwise, fractions as a/b, sums as Σ_(t=0..n). Rows of a matrix are parted by
/// ";", and bold face is lost.
std::string formula_text(const EquationNode& equation);

/// The same from TeX. Throws as parse_equation does.
std::string formula_text(std::string_view tex);

/// Marked text without its marks, for a terminal or a file: formulas as they were typed where they
/// were typed in Unicode, "θ_t", otherwise as formula_text has them.
std::string plain_text(std::string_view marked);

}  // namespace orrery
