#pragma once

#include <span>
#include <string_view>

#include "experiments/figure/equation/node.h"

namespace orrery {

/// A symbol that TeX writes as a command: "theta" for θ.
struct NamedSymbol {
  std::string_view name;
  std::string_view text;
  EquationNode::Class role;
};

std::span<const NamedSymbol> named_symbols();

/// Null for an unknown name.
const NamedSymbol* find_named_symbol(std::string_view name);

/// Class of a character that stands for itself: "=" is a relation.
EquationNode::Class class_of_character(std::string_view character);

}  // namespace orrery
