#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A word, a quoted name, a number or a sign of an expression.
struct ExpressionToken {
  enum class Kind { word, quoted, number, sign, end };
  Kind kind{Kind::end};
  std::string text{};  ///< without quotes; signs in ASCII: "<=", "!=", "+-"
  double number{};
};

/// The tokens of an expression or an assertion; the last one is the end. Throws UsageError for a
/// character that is in none, a quote that does not end, a number that is none.
std::vector<ExpressionToken> tokens_of(std::string_view text);

}  // namespace orrery
