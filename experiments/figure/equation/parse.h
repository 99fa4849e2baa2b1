#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A formula as a tree. A small part of TeX: letters, digits and signs; Greek by name; sums,
/// products, max, cos … with limits; ^ and _; frac, sqrt, mathrm, text, mathbf, bar, hat, tilde;
/// left( … right); matrices in begin{pmatrix} a & b, rows parted by a double backslash (also
/// matrix, bmatrix, vmatrix, cases); the spaces \, \: \; and quad.
struct EquationNode {
  enum class Kind {
    row,       ///< children side by side
    symbol,    ///< one glyph or a word, `text`
    scripts,   ///< children: base, superscript, subscript (an empty row where there is none)
    fraction,  ///< children: numerator, denominator
    root,      ///< child: radicand
    accent,    ///< child: base; `text`: bar, hat or tilde
    fence,     ///< child: content between `open` and `close`, grown to its height
    matrix,    ///< children: cells, row by row, `columns` of them
    space      ///< `width` in em
  };
  /// What stands around a symbol: how much room it wants.
  enum class Class {
    ordinary,
    operation,
    relation,
    large,
    function,
    opening,
    closing,
    punctuation
  };

  Kind kind{Kind::row};
  Class role{Class::ordinary};
  std::string text{};
  bool bold{};
  double width{};
  std::size_t columns{};
  bool left_aligned{};  ///< the columns of cases
  std::string open{}, close{};
  std::vector<EquationNode> children{};
};

/// Throws UsageError naming the place, what is wrong there, and the remedy; an unknown command
/// comes with the nearest name. Nesting deeper than 64 is refused.
EquationNode parse_equation(std::string_view tex);

/// The plain letters of a node, "θ_t" for θ with a subscript: what a reader calls it.
std::string equation_name(const EquationNode& node);

}  // namespace orrery
