#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "experiments/figure/equation/tree.h"

namespace orrery {

/// Name of a symbol in plain letters, without superscripts: "θ_t" for θ with the subscript t. Empty
/// for fractions, roots and other nodes that are no symbol.
std::string equation_name(const EquationNode& node);

/// Whether `is_it` holds for the name of the formula or of a part of it: |S_j| has S_j, and neither
/// S nor j.
bool has_part(const EquationNode& node, const std::function<bool(const std::string&)>& is_it);

/// Parses a small part of TeX: letters, digits and signs; Greek letters by
/// name; sums, products, max, cos … with limits; ^ and _; frac, sqrt, mathrm, text, mathbf, bar,
/// hat, tilde; left( … right); matrices in begin{pmatrix} a & b, with rows separated by a double
/// backslash (also matrix, bmatrix, vmatrix, cases); the spaces \, \: \; and quad.
/// Throws UsageError with the position, what is wrong there, and the remedy, which for an unknown
/// command is the nearest name. Nesting deeper than 64 is refused.
EquationNode parse_equation(std::string_view tex);

}  // namespace orrery
