#pragma once

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/equation/box.h"
#include "experiments/figure/equation/node.h"

namespace orrery {

/// Typesets a formula beside text whose em is `size` points: its letters are of the same x-height.
/// Sums have their limits below and above. `canvas` measures words in the font of text, nothing
/// else: formulas have the same form on every canvas.
EquationBox lay_out(const EquationNode& equation, const Canvas& canvas, double size);

/// The same for a formula in a line of text, which takes less height.
EquationBox lay_out_in_line(const EquationNode& equation, const Canvas& canvas, double size);

}  // namespace orrery
