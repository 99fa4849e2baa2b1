#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas.h"
#include "experiments/figure/equation/catalogue.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/figure/style.h"

namespace orrery {

/// Formulas side by side, each with where it comes from behind it, in as many rows as the width
/// asks for. Its origin is its upper left corner.
struct EquationStrip {
  struct Part {
    EquationBox box{};
    Point origin{};  ///< left end of the baseline
    bool is_source{false};
  };
  std::vector<Part> parts{};
  double height{};  ///< 0 when there is nothing to set
};

/// Sets formulas within `width`; one that is wider alone is set smaller. `canvas` measures the
/// text. Throws as parse_equation does.
EquationStrip lay_out_strip(std::span<const SetEquation> formulas, const Canvas& canvas,
                            double width, const FigureStyle& style);

void draw_strip(Canvas& canvas, const EquationStrip& strip, Point corner, const FigureStyle& style);

}  // namespace orrery
