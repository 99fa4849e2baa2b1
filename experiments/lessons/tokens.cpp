#include "experiments/lessons/tokens.h"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/text/number_text.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

using SignText = std::pair<std::string_view, std::string_view>;

// The longer first: "<=" before "<".
constexpr std::array signs{
    SignText{"<=", "<="}, SignText{">=", ">="}, SignText{"!=", "!="}, SignText{"+-", "+-"},
    SignText{"~=", "="},  SignText{"≤", "<="},  SignText{"≥", ">="},  SignText{"≠", "!="},
    SignText{"±", "+-"},  SignText{"≈", "="},   SignText{"−", "-"},   SignText{"·", "*"},
    SignText{"<", "<"},   SignText{">", ">"},   SignText{"=", "="},   SignText{"+", "+"},
    SignText{"-", "-"},   SignText{"*", "*"},   SignText{"/", "/"},   SignText{"(", "("},
    SignText{")", ")"},   SignText{"%", "%"},   SignText{",", ","}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<ExpressionToken> read() {
    std::vector<ExpressionToken> tokens;
    for (skip_spaces(); !rest_.empty(); skip_spaces()) tokens.push_back(next());
    tokens.push_back({});
    return tokens;
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }

  ExpressionToken next() {
    if (rest_.front() == '"') return quoted();
    if (is_digit(rest_.front())) return number();
    if (is_letter(rest_.front())) return word();
    if (rest_.starts_with("π")) {
      rest_.remove_prefix(std::string_view("π").size());
      return {ExpressionToken::Kind::number, "π", std::numbers::pi};
    }
    for (const auto& [written, sign] : signs) {
      if (!rest_.starts_with(written)) continue;
      rest_.remove_prefix(written.size());
      return {ExpressionToken::Kind::sign, std::string(sign), 0};
    }
    const std::string_view wrong = rest_.substr(0, character_length(rest_, 0));
    throw UsageError(in_quotes(text_), fmt::format("has the character {}", in_quotes(wrong)),
                     "put a name with other characters than letters, digits and _ in quotes");
  }

  ExpressionToken quoted() {
    const std::size_t end = rest_.find('"', 1);
    if (end == std::string_view::npos)
      throw UsageError(in_quotes(text_), "has a quote that does not end", "close it with \"");
    ExpressionToken token{ExpressionToken::Kind::quoted, std::string(rest_.substr(1, end - 1)), 0};
    rest_.remove_prefix(end + 1);
    return token;
  }

  /// "10", "0.5", "5e5", "1e-9"; "2d" is a word, as no number continues with a letter.
  ExpressionToken number() {
    std::size_t end = 0;
    const auto digits = [&] {
      while (end < rest_.size() && is_digit(rest_[end])) ++end;
    };
    digits();
    if (end < rest_.size() && rest_[end] == '.') ++end, digits();
    if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
      ++end;
      if (end < rest_.size() && (rest_[end] == '-' || rest_[end] == '+')) ++end;
      digits();
    }
    if (end < rest_.size() && is_letter(rest_[end])) return word();
    const std::string_view written = rest_.substr(0, end);
    const std::optional<double> value = number_in(written);
    if (!value)
      throw UsageError(in_quotes(written), "is not a number", "write for instance 0.5 or 1e-9");
    rest_.remove_prefix(end);
    return {ExpressionToken::Kind::number, std::string(written), *value};
  }

  /// A name; '.' belongs to it, as in rope.scaling.
  ExpressionToken word() {
    std::size_t end = 0;
    while (end < rest_.size() && (is_letter(rest_[end]) || rest_[end] == '.')) ++end;
    ExpressionToken token{ExpressionToken::Kind::word, std::string(rest_.substr(0, end)), 0};
    rest_.remove_prefix(end);
    return token;
  }

  std::string_view text_;
  std::string_view rest_{text_};
};

}  // namespace

std::vector<ExpressionToken> tokens_of(std::string_view text) { return Tokenizer(text).read(); }

}  // namespace orrery
