#pragma once

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

}  // namespace orrery
