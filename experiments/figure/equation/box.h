#pragma once

#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

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

enum class Direction { rightward, upward };

/// Draws a formula with the left end of its baseline at `origin`.
void draw_equation(Canvas& canvas, const EquationBox& box, Point origin, Color color,
                   const EquationHighlight& highlight = {},
                   Direction direction = Direction::rightward);

/// The name of the smallest symbol at a point relative to the origin; empty when there is none.
std::string symbol_at(const EquationBox& box, Point point);

}  // namespace orrery
