#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A formula as a tree.
struct EquationNode {
  enum class Kind {
    row,       ///< children side by side
    symbol,    ///< one glyph or a word, `text`
    scripts,   ///< children: base, superscript, subscript (an empty row where there is none)
    fraction,  ///< children: numerator, denominator
    root,      ///< child: radicand
    accent,    ///< child: base; `text`: bar, hat or tilde
    fence,     ///< child: content; `open` and `close` are as tall as it
    matrix,    ///< children: cells, row by row, `columns` of them
    space      ///< `width` in em
  };
  /// TeX's class of a symbol, which determines the spacing around it.
  enum class Class {
    ordinary,
    operation,
    relation,
    large,
    function,
    opening,
    closing,
    punctuation,
    inner  ///< a fraction, brackets that grow, an ellipsis
  };

  Kind kind{Kind::row};
  Class role{Class::ordinary};
  std::string text{};
  bool bold{};
  /// A letter that stands for itself, as in \mathrm, or words in the font of text.
  enum class Letters { variable, upright, words };
  Letters letters{Letters::variable};
  double width{};
  std::size_t columns{};
  bool left_aligned{};  ///< columns of cases; those of other matrices are centred
  std::string open{}, close{};
  std::vector<EquationNode> children{};
};

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
