#include "experiments/figure/equation/spacing.h"

namespace orrery {
namespace {

using Kind = EquationNode::Kind;
using Class = EquationNode::Class;

// TeX's spaces, in em.
constexpr double thin_space = 3.0 / 18;
constexpr double medium_space = 4.0 / 18;
constexpr double thick_space = 5.0 / 18;

}  // namespace

Class spacing_class(const EquationNode& node) {
  switch (node.kind) {
    case Kind::symbol:
      return node.text == "…" || node.text == "⋯" ? Class::inner : node.role;
    case Kind::fraction:
    case Kind::fence:
      return Class::inner;
    case Kind::scripts:
    case Kind::accent:
      return spacing_class(node.children.front());
    default:
      return Class::ordinary;
  }
}

Class spacing_class_in_row(const std::vector<EquationNode>& row, std::size_t i, Class before) {
  const Class own = spacing_class(row[i]);
  const bool nothing_before = i == 0 || before == Class::operation || before == Class::relation ||
                              before == Class::opening || before == Class::punctuation;
  const bool nothing_after = i + 1 == row.size();
  const bool is_sign = own == Class::operation && (nothing_before || nothing_after);
  return is_sign ? Class::ordinary : own;
}

double space_between(Class left, Class right, bool in_script) {
  if (left == Class::opening || right == Class::closing || right == Class::punctuation) return 0;
  const double outside_scripts = in_script ? 0.0 : 1.0;
  if (left == Class::relation || right == Class::relation)
    return left == right ? 0 : outside_scripts * thick_space;
  if (left == Class::operation || right == Class::operation) return outside_scripts * medium_space;
  if (left == Class::punctuation) return outside_scripts * thin_space;
  const auto is_word = [](Class c) { return c == Class::function || c == Class::large; };
  if (is_word(left) && right == Class::opening) return 0;
  if (is_word(left) || is_word(right)) return thin_space;
  const bool apart = left == Class::inner || right == Class::inner;
  return apart ? outside_scripts * thin_space : 0;
}

}  // namespace orrery
