#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::figure {

/// A piece of text without spaces outside of brackets, read as a formula.
struct InlineFormula {
  enum class Kind {
    formula,       ///< holds a variable with something around it: "θ_t", "m+n", "f(x)"
    small_letter,  ///< "m"
    capital,       ///< "N"; a word for all that one sees of it
    article,       ///< "a", "A", "I": a word unless it is called a symbol
    function,      ///< "cos", before its argument
    sign,          ///< "=", "−"
    number         ///< "64", "(1, …, 1)"
  };
  Kind kind{};
  std::string tex{};
};

/// Empty where the piece is words.
std::optional<InlineFormula> inline_formula(std::string_view piece);

}  // namespace orrery::figure
