#pragma once

#include <string>
#include <string_view>

#include "experiments/figure/equation/parse.h"

namespace orrery::figure {

/// A formula as one line of Unicode, for a terminal: scripts where Unicode has their letters, and
/// "x_q" or "x_(…)" otherwise, fractions as a/b, sums as Σ_(t=0..n). Rows of a matrix are parted by
/// ";", and bold face is lost.
std::string plain_text(const EquationNode& equation);

/// The same from TeX. Throws as parse_equation does.
std::string plain_text(std::string_view tex);

}  // namespace orrery::figure
