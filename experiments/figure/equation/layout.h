#pragma once

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/equation/box.h"
#include "experiments/figure/equation/node.h"

namespace orrery::figure {

/// Typesets a formula for letters whose em is `size` points. `canvas` measures the text.
EquationBox lay_out(const EquationNode& equation, const Canvas& canvas, double size);

}  // namespace orrery::figure
