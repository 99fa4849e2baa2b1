#pragma once

#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// Advance and ink of a character, in em of its font. The ink runs from `left` to `right` of the
/// point where the character begins, and from `descent` below the baseline to `ascent` above it.
struct LetterExtent {
  double advance{};
  double left{};
  double right{};
  double ascent{};
  double descent{};
};

/// Measured from the outlines of the font that draws the character, so that formulas are laid out
/// alike on every canvas. May be called from any thread.
LetterExtent letter_extent(char32_t character, Face face, bool bold = false);

// Lengths of the font of symbols, in its em; of the font of text where that is missing.

/// Height of minus signs and fraction bars.
double axis_height();
/// Height of an x.
double x_height();
/// Em of symbols beside text with an em of 1, at which an x of both is equally high.
double symbol_scale();

/// A typeset formula: every glyph and line at its position. The origin is the left end of the
/// baseline; y runs downwards, as on the Canvas.
struct EquationBox {
  struct Glyphs {
    Point at{};  ///< left end of their baseline
    std::string text{};
    double size{};
    Face face{Face::sans};
    bool bold{};
    std::vector<std::string> names{};  ///< symbols they belong to, innermost first: "t", then "θ_t"
  };
  struct Line {
    std::vector<Point> points{};
    double width{};
  };
  /// A symbol that the mouse can point at.
  struct Region {
    Rect box{};
    std::string name{};  ///< "θ_t"
  };

  double width{};
  double ascent{};   ///< above the baseline
  double descent{};  ///< below it
  double lean{};     ///< part of the width that only leaning letters reach into, above x-height
  std::vector<Glyphs> glyphs{};
  std::vector<Line> lines{};
  std::vector<Region> regions{};

  double height() const { return ascent + descent; }

  /// Adds the contents of `part` with its origin at (x, y); width and extents stay as they are.
  void add(EquationBox part, double x, double y);
  void add_line(std::vector<Point> points, double line_width);
  /// Raises ascent and descent to at least these values.
  void extend_to(double at_least_ascent, double at_least_descent);
  /// Makes the whole box one symbol that can be pointed at; does nothing for an empty name.
  void mark_as_symbol(const std::string& name);
};

/// Symbols drawn in a colour of their own.
struct EquationHighlight {
  std::vector<std::string> names{};
  Color color{};
};

/// Draws a formula with the left end of its baseline at `origin`, or `upward` from there.
void draw_equation(Canvas& canvas, const EquationBox& box, Point origin, Color color,
                   const EquationHighlight& highlight = {}, bool upward = false);

/// The name of the smallest symbol at a point relative to the origin; empty when there is none.
std::string symbol_at(const EquationBox& box, Point point);

/// Characters in the faces that have them, those without a letter of their own in the font of text.
EquationBox set_letters(const std::string& text, double size, Face wanted, bool bold);

/// A sign moved so that the axis runs through its middle; `size` is the em.
EquationBox on_axis(EquationBox letter, double size);

/// A bracket that reaches about `half` above and below the axis: the letter, enlarged where that
/// is enough, strokes otherwise.
EquationBox set_bracket(const std::string& text, double half, double size, bool closes);

}  // namespace orrery
