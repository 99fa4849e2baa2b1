#include "experiments/lessons/expression.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/text/number_text.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

/// A word, a quoted name, a number or a sign of an expression.
struct ExpressionToken {
  enum class Kind { word, quoted, number, sign, end };
  Kind kind{Kind::end};
  std::string text{};  ///< without quotes; signs in ASCII: "<=", "!=", "+-"
  double number{};
};

using SignText = std::pair<std::string_view, std::string_view>;

// The longer first: "<=" before "<".
constexpr std::array signs{
    SignText{"<=", "<="}, SignText{">=", ">="}, SignText{"!=", "!="}, SignText{"+-", "+-"},
    SignText{"~=", "="},  SignText{"≤", "<="},  SignText{"≥", ">="},  SignText{"≠", "!="},
    SignText{"±", "+-"},  SignText{"≈", "="},   SignText{"−", "-"},   SignText{"·", "*"},
    SignText{"<", "<"},   SignText{">", ">"},   SignText{"=", "="},   SignText{"+", "+"},
    SignText{"-", "-"},   SignText{"*", "*"},   SignText{"/", "/"},   SignText{"(", "("},
    SignText{")", ")"},   SignText{"%", "%"},   SignText{",", ","}};

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_decimal(c);
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
    if (is_decimal(rest_.front())) return number();
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
      while (end < rest_.size() && is_decimal(rest_[end])) ++end;
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

/// The tokens of an expression or an assertion; the last one is the end. Throws UsageError for a
/// character that is in none, a quote that does not end, a number that is none.
std::vector<ExpressionToken> tokens_of(std::string_view text) { return Tokenizer(text).read(); }

using Kind = Expression::Kind;
using Clause = Assertion::Clause;

constexpr int deepest = 32;  ///< parentheses and operands within each other

struct Function {
  std::string_view word{};
  Kind kind{};
  std::size_t names{};
  std::size_t operands{};
  std::string_view form{};
};

constexpr std::array functions{
    Function{"scalar", Kind::scalar, 1, 0, "scalar NAME"},
    Function{"param", Kind::param, 1, 0, "param KEY"},
    Function{"value", Kind::value, 2, 1, "value FIGURE CURVE X"},
    Function{"largest", Kind::largest, 2, 0, "largest FIGURE CURVE"},
    Function{"smallest", Kind::smallest, 2, 0, "smallest FIGURE CURVE"},
    Function{"argmax", Kind::argmax, 2, 0, "argmax FIGURE CURVE"},
    Function{"argmin", Kind::argmin, 2, 0, "argmin FIGURE CURVE"},
    Function{"first_rise", Kind::first_rise, 2, 0, "first_rise FIGURE CURVE"},
    Function{"rises", Kind::rises, 2, 0, "rises FIGURE CURVE"},
    Function{"first_below", Kind::first_below, 2, 1, "first_below FIGURE CURVE Y"},
    Function{"cell", Kind::cell, 1, 2, "cell MAP ROW COLUMN"},
    Function{"row_sum", Kind::row_sum, 1, 1, "row_sum MAP ROW"},
    Function{"largest_cell", Kind::largest_cell, 1, 0, "largest_cell MAP"},
    Function{"smallest_cell", Kind::smallest_cell, 1, 0, "smallest_cell MAP"},
    Function{"measured", Kind::measured, 1, 0, "measured CHECK"},
    Function{"bound", Kind::bound, 1, 0, "bound CHECK"},
    Function{"spread", Kind::spread, 2, 0, "spread FIGURE TERM"},
    Function{"entry", Kind::entry, 2, 1, "entry TABLE COLUMN ROW"},
    Function{"abs", Kind::absolute, 0, 1, "abs X"}};

const Function* function_named(const std::string& word) {
  for (const Function& function : functions)
    if (function.word == word) return &function;
  return nullptr;
}

std::optional<NumberRelation::Sign> comparison_sign(const ExpressionToken& token) {
  using Sign = NumberRelation::Sign;
  if (token.kind != ExpressionToken::Kind::sign) return std::nullopt;
  if (token.text == "<") return Sign::less;
  if (token.text == "<=") return Sign::at_most;
  if (token.text == "=") return Sign::equal;
  if (token.text == "!=") return Sign::unequal;
  if (token.text == ">=") return Sign::at_least;
  if (token.text == ">") return Sign::greater;
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text), tokens_(tokens_of(text)) {}

  Expression expression_alone() {
    Expression expression = sum();
    require_end();
    return expression;
  }

  Assertion assertion() {
    Assertion assertion{.text = text_};
    do assertion.clauses.push_back(clause());
    while (take_word("and"));
    require_end();
    return assertion;
  }

 private:
  [[noreturn]] void refuse(const std::string& rule, const std::string& remedy) const {
    throw UsageError(in_quotes(text_), rule, remedy);
  }
  const ExpressionToken& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  ExpressionToken take() {
    ExpressionToken token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool take_sign(std::string_view sign) {
    if (peek().kind != ExpressionToken::Kind::sign || peek().text != sign) return false;
    take();
    return true;
  }
  bool take_word(std::string_view word) {
    if (peek().kind != ExpressionToken::Kind::word || peek().text != word) return false;
    take();
    return true;
  }
  void require_end() const {
    if (peek().kind != ExpressionToken::Kind::end)
      refuse(fmt::format("goes on with {} where it should end", in_quotes(peek().text)),
             "write one statement per line, joined by \"and\"");
  }

  std::string name_for(std::string_view form) {
    const ExpressionToken::Kind kind = peek().kind;
    if (kind == ExpressionToken::Kind::word || kind == ExpressionToken::Kind::quoted)
      return take().text;
    refuse("lacks a name", fmt::format("write {}", form));
  }

  Clause clause() {
    Clause clause;
    if (take_word("holds")) {
      clause.kind = Clause::Kind::check_holds;
      clause.name = name_for("holds CHECK");
    } else if (take_word("fails")) {
      clause.kind = Clause::Kind::check_fails;
      clause.name = name_for("fails CHECK");
    } else if (peek().kind == ExpressionToken::Kind::word &&
               peek(1).kind == ExpressionToken::Kind::word && peek(1).text == "is") {
      clause.kind = Clause::Kind::param_is;
      clause.name = take().text;
      take();
      clause.word = setting();
    } else {
      comparisons(clause);
    }
    return clause;
  }

  /// A value as words or a number: "rope", "true", "\"rope+alibi\"".
  std::string setting() {
    if (peek().kind == ExpressionToken::Kind::end || peek().kind == ExpressionToken::Kind::sign)
      refuse("lacks a value after \"is\"", "write KEY is VALUE, quoted where it has signs");
    return take().text;
  }

  void comparisons(Clause& clause) {
    clause.operands.push_back(sum());
    while (const auto sign = comparison_sign(peek())) {
      take();
      clause.comparisons.push_back({.sign = *sign});
      clause.operands.push_back(sum());
      if (take_sign("+-")) tolerance(clause.comparisons.back());
    }
    if (clause.comparisons.empty())
      refuse("compares nothing", "write for instance: rope_first_rise = 19");
  }

  void tolerance(NumberRelation& comparison) {
    if (comparison.sign != NumberRelation::Sign::equal)
      refuse("has a tolerance on a sign other than =", "write A = B ± TOLERANCE");
    if (peek().kind != ExpressionToken::Kind::number)
      refuse("has no number after ±", "write for instance ± 0.001 or ± 1%");
    comparison.tolerance = take().number;
    if (take_sign("%")) {
      comparison.is_relative = true;
      comparison.tolerance /= 100;
    }
  }

  Expression sum() {
    Expression left = product();
    while (true) {
      if (take_sign("+"))
        left = joined(Kind::add, std::move(left), product());
      else if (take_sign("-"))
        left = joined(Kind::subtract, std::move(left), product());
      else
        return left;
    }
  }

  Expression product() {
    Expression left = operand();
    while (true) {
      if (take_sign("*"))
        left = joined(Kind::multiply, std::move(left), operand());
      else if (take_sign("/"))
        left = joined(Kind::divide, std::move(left), operand());
      else
        return left;
    }
  }

  /// A chain of additions nests to the left, so long chains are refused as deep ones are.
  Expression joined(Kind kind, Expression left, Expression right) {
    constexpr int longest = 256;
    if (++joins_ > longest) refuse("has too many operations", "split it into several lines");
    Expression both{.kind = kind};
    both.operands.push_back(std::move(left));
    both.operands.push_back(std::move(right));
    return both;
  }

  Expression operand() {
    if (++depth_ > deepest) refuse("is nested too deeply", "use fewer parentheses");
    Expression found = operand_within();
    --depth_;
    return found;
  }

  Expression operand_within() {
    if (take_sign("-")) {
      Expression negated{.kind = Kind::negate};
      negated.operands.push_back(operand());
      return negated;
    }
    if (take_sign("(")) {
      Expression inner = sum();
      if (!take_sign(")")) refuse("has a parenthesis that does not end", "close it with )");
      return inner;
    }
    if (peek().kind == ExpressionToken::Kind::number)
      return {.kind = Kind::number, .number = take().number};
    if (peek().kind == ExpressionToken::Kind::quoted)
      return {.kind = Kind::name, .names = {take().text}};
    if (peek().kind != ExpressionToken::Kind::word)
      refuse(peek().kind == ExpressionToken::Kind::end
                 ? std::string("ends where a number should follow")
                 : fmt::format("has {} where a number should stand", in_quotes(peek().text)),
             "write a number, a name, or a function such as value FIGURE CURVE X");
    const ExpressionToken word = take();
    const Function* function = function_named(word.text);
    return function ? call(*function) : Expression{.kind = Kind::name, .names = {word.text}};
  }

  Expression call(const Function& function) {
    Expression called{.kind = function.kind};
    for (std::size_t i = 0; i < function.names; ++i)
      called.names.push_back(name_for(function.form));
    for (std::size_t i = 0; i < function.operands; ++i) called.operands.push_back(operand());
    return called;
  }

  const std::string& text_;
  std::vector<ExpressionToken> tokens_;
  std::size_t at_{0};
  int depth_{0};
  int joins_{0};
};

}  // namespace

Expression parse_expression(const std::string& text) { return Parser(text).expression_alone(); }

Assertion parse_assertion(const std::string& text) { return Parser(text).assertion(); }

}  // namespace orrery
