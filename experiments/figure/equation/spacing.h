#pragma once

#include <cstddef>
#include <vector>

#include "experiments/figure/equation/node.h"

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

}  // namespace orrery
