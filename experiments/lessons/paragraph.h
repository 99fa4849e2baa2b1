#pragma once

#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/document/document.h"
#include "experiments/figure/equation/box.h"

namespace orrery {

/// A paragraph in lines, words and formulas, ready to be drawn on any canvas.
struct ParagraphLayout {
  struct Piece {
    Point at{};  ///< left end of its baseline, from the paragraph's upper left corner
    double width{};
    std::string text{};  ///< empty for a formula
    TextStyle style{};
    EquationBox box{};
    std::string target{};  ///< of a link
  };
  std::vector<Piece> pieces{};
  double height{};
};

/// Breaks the paragraph into lines within `width`. A word that is wider than a line has one of its
/// own, and a number keeps its groups of digits together: "10 000". Formulas are set in line;
/// `canvas` measures.
ParagraphLayout lay_out_paragraph(const std::vector<Span>& spans, const Canvas& canvas,
                                  double width, const TextStyle& style);

/// Draws it with its upper left corner at `corner`. Symbols of `highlight` have its colour.
void draw_paragraph(Canvas& canvas, const ParagraphLayout& paragraph, Point corner,
                    const EquationHighlight& highlight = {});

}  // namespace orrery
