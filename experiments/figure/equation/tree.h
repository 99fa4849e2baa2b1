#pragma once

#include <cstddef>
#include <string>
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

}  // namespace orrery
