#pragma once

#include <cstddef>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/equation/box.h"
#include "experiments/figure/equation/parse.h"

namespace orrery {

/// The class that decides the spacing around a node: a symbol's own, or that of the base under
/// scripts or an accent.
EquationNode::Class spacing_class(const EquationNode& node);

/// spacing_class of row[i], where `before` is that of the node to its left. A sign without an
/// operand on its left or right belongs to a number (−1, x⁺) and is ordinary: no space around it.
EquationNode::Class spacing_class_in_row(const std::vector<EquationNode>& row, std::size_t i,
                                         EquationNode::Class before);

/// Space between two neighbours, in em, after TeX's rules; tighter in scripts.
double space_between(EquationNode::Class left, EquationNode::Class right, bool in_script);

/// Typesets a formula beside text whose em is `size` points: its letters are of the same x-height.
/// Sums have their limits below and above. `canvas` measures words in the font of text, nothing
/// else: formulas have the same form on every canvas.
EquationBox lay_out(const EquationNode& equation, const Canvas& canvas, double size);

/// The same for a formula in a line of text, which takes less height.
EquationBox lay_out_in_line(const EquationNode& equation, const Canvas& canvas, double size);

}  // namespace orrery
