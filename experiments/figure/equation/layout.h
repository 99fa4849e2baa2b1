#pragma once

#include <string>
#include <vector>

#include "experiments/figure/canvas.h"
#include "experiments/figure/equation/parse.h"

namespace orrery {

/// A formula with every glyph and line in its place. Its origin is the left end of the baseline;
/// y runs downwards, as on the Canvas.
struct EquationBox {
  struct Glyphs {
    Point at{};  ///< left end of their baseline
    std::string text{};
    double size{};
    bool bold{};
    std::vector<std::string> names{};  ///< of the symbols they belong to: "t", then "θ_t"
  };
  struct Line {
    std::vector<Point> points{};
    double width{};
  };
  /// A symbol that a mouse may rest on.
  struct Region {
    Rect box{};
    std::string name{};  ///< "θ_t"
  };

  double width{};
  double ascent{};   ///< above the baseline
  double descent{};  ///< below it
  std::vector<Glyphs> glyphs{};
  std::vector<Line> lines{};
  std::vector<Region> regions{};

  double height() const { return ascent + descent; }
};

/// Sets a formula for letters whose em is `size` points. `canvas` measures the text.
EquationBox lay_out(const EquationNode& equation, const Canvas& canvas, double size);

/// What is drawn apart: the symbols of these names, in this color.
struct EquationHighlight {
  std::vector<std::string> names{};
  Color color{};
};

/// Draws a formula with the left end of its baseline at `origin`.
void draw_equation(Canvas& canvas, const EquationBox& box, Point origin, Color color,
                   const EquationHighlight& highlight = {});

/// The name of the smallest symbol at a point relative to the origin; empty when there is none.
std::string symbol_at(const EquationBox& box, Point point);

}  // namespace orrery
