#include "experiments/figure/equation/node.h"

namespace orrery::figure {

std::string equation_name(const EquationNode& node) {
  if (node.kind == EquationNode::Kind::symbol) return node.text;
  if (node.kind == EquationNode::Kind::row) {
    std::string name;
    for (const EquationNode& child : node.children) name += equation_name(child);
    return name;
  }
  if (node.kind != EquationNode::Kind::scripts) return {};
  const std::string below = equation_name(node.children[2]);
  const std::string base = equation_name(node.children[0]);
  return below.empty() ? base : base + "_" + below;
}

}  // namespace orrery::figure
