#pragma once

#include <string_view>

#include "experiments/figure/equation/node.h"

namespace orrery {

/// Parses a small part of TeX: letters, digits and signs; Greek letters by
/// name; sums, products, max, cos … with limits; ^ and _; frac, sqrt, mathrm, text, mathbf, bar,
/// hat, tilde; left( … right); matrices in begin{pmatrix} a & b, with rows separated by a double
/// backslash (also matrix, bmatrix, vmatrix, cases); the spaces \, \: \; and quad.
/// Throws UsageError with the position, what is wrong there, and the remedy, which for an unknown
/// command is the nearest name. Nesting deeper than 64 is refused.
EquationNode parse_equation(std::string_view tex);

}  // namespace orrery
