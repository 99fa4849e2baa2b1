#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/formula.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/equation/layout.h"

namespace orrery {

/// Formulas side by side, each followed by its source, in as many rows as needed. The origin is the
/// upper left corner.
struct EquationStrip {
  struct Part {
    EquationBox box{};
    Point origin{};  ///< left end of the baseline
    bool is_source{false};
  };
  std::vector<Part> parts{};
  double height{};  ///< 0 when there is nothing to set
};

/// Typesets formulas within `width`; a formula that is wider on its own is set in a smaller size.
/// `canvas` measures the text. Throws as parse_equation does.
EquationStrip lay_out_strip(std::span<const Formula> formulas, const Canvas& canvas, double width,
                            const FigureStyle& style);

void draw_strip(Canvas& canvas, const EquationStrip& strip, Point corner, const FigureStyle& style);

}  // namespace orrery
