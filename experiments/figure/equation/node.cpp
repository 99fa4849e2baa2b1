#include "experiments/figure/equation/node.h"

#include <algorithm>

namespace orrery {

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

bool has_part(const EquationNode& node, const std::function<bool(const std::string&)>& is_it) {
  if (is_it(equation_name(node))) return true;
  const bool has_index =
      node.kind == EquationNode::Kind::scripts && !node.children[2].children.empty();
  const auto has_it = [&](const EquationNode& child) { return has_part(child, is_it); };
  if (has_index) return has_it(node.children[1]);
  return std::any_of(node.children.begin(), node.children.end(), has_it);
}

}  // namespace orrery
