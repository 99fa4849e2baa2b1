#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/lessons/read_block.h"
#include "experiments/text/number_text.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

/// "wish KEY: TEXT" or "code KEY: NAME".
void read_entry(const Line& line, Lesson& lesson) {
  const std::string form = "write wish KEY: TEXT or code KEY: NAME";
  const std::size_t colon = find_unquoted(line.text, ": ");
  const std::vector<std::string> words = words_in(line.text.substr(0, colon));
  const bool is_wish = !words.empty() && words[0] == "wish";
  const bool is_code = !words.empty() && words[0] == "code";
  if (colon == std::string::npos || words.size() != 2 || !(is_wish || is_code))
    throw UsageError(in_quotes(line.text), "is neither a wish nor a code", form);
  const std::string text = trimmed(line.text.substr(colon + 2));
  if (text.empty()) throw UsageError(in_quotes(line.text), "has no text", form);
  (is_wish ? lesson.wishes : lesson.codes).push_back({line.number, words[1], text});
}

WishTick::Mark mark_named(const std::string& word) {
  constexpr std::array<std::string_view, 3> words{"yes", "no", "partly"};
  constexpr std::array marks{WishTick::Mark::yes, WishTick::Mark::no, WishTick::Mark::partly};
  const auto* const found = std::ranges::find(words, word);
  if (found == words.end())
    throw_unknown_name(word, "a mark of the scoreboard",
                       std::vector<std::string>(words.begin(), words.end()));
  return marks.at(static_cast<std::size_t>(found - words.begin()));
}

using PredictionKind = decltype(Prediction::kind);

/// The two parts of a value around its last " WORD ".
std::pair<std::string, std::string> around(const std::string& value, std::string_view word,
                                           const std::string& form) {
  const std::string between = fmt::format(" {} ", word);
  const std::size_t at = rfind_unquoted(value, between);
  if (at == std::string::npos)
    throw UsageError(in_quotes(value), fmt::format("has no \"{}\"", word),
                     fmt::format("write {}", form));
  return {trimmed(value.substr(0, at)), trimmed(value.substr(at + between.size()))};
}

std::string label_in(std::string label) {
  if (label.size() >= 2 && label.front() == '"' && label.back() == '"')
    label = label.substr(1, label.size() - 2);
  if (label.empty()) throw UsageError("a label", "is empty", "say what it stands for");
  return label;
}

Prediction::Draw read_draw(const std::string& value) {
  const std::vector<std::string> words = words_in(value);
  if (words.size() != 2)
    throw UsageError(in_quotes(value), "does not name a figure and a curve",
                     "write draw: FIGURE CURVE");
  return {words[0], words[1]};
}

Prediction::Mark read_mark(const std::string& value) {
  const std::vector<std::string> words = words_in(value);
  const std::string form = "mark: MAP cells > NUMBER, or mark: MAP changed by KEY=VALUE";
  if (words.size() > 3 && words[1] == "changed" && words[2] == "by")
    return {.map = words[0], .changed_by = {words.begin() + 3, words.end()}};
  const std::size_t cells = find_unquoted(value, " cells ");
  if (words.empty() || cells == std::string::npos)
    throw UsageError(in_quotes(value), "says of no cells which they are", "write " + form);
  // A comparison with 0 on the left reads as one with the cell.
  const Assertion read = parse_assertion("0 " + value.substr(cells + 7));
  if (read.clauses.size() != 1 || read.clauses[0].comparisons.size() != 1)
    throw UsageError(in_quotes(value), "compares cells with more than one number", "write " + form);
  return {.map = words[0],
          .sign = read.clauses[0].comparisons[0].sign,
          .threshold = read.clauses[0].operands[1]};
}

double number_in_guess(const std::string& word, const std::string& value) {
  if (const std::optional<double> number = number_in(word)) return *number;
  throw UsageError(in_quotes(value),
                   fmt::format("has {} where a number should stand", in_quotes(word)),
                   "write guess: EXPRESSION from NUMBER to NUMBER UNIT");
}

Prediction::Guess read_guess(const std::string& value) {
  const auto [truth, range] = around(value, "from", "guess: EXPRESSION from 0 to 64 pairs");
  const std::vector<std::string> words = words_in(range);
  if (words.size() < 3 || words[1] != "to")
    throw UsageError(in_quotes(value), "has no range for the slider",
                     "write guess: EXPRESSION from NUMBER to NUMBER UNIT");
  Prediction::Guess guess{parse_expression(truth), number_in_guess(words[0], value),
                          number_in_guess(words[2], value), ""};
  for (std::size_t i = 3; i < words.size(); ++i) guess.unit += (i > 3 ? " " : "") + words[i];
  if (!(guess.from < guess.to))
    throw UsageError(in_quotes(value), "has a range that is empty", "write the lower number first");
  return guess;
}

Prediction::Order::Item read_item(const std::string& value) {
  const auto [label, key] = around(value, "by", "order: LABEL by EXPRESSION");
  return {label_in(label), parse_expression(key)};
}

Prediction::Choose::Option read_option(const Field& field) {
  const auto [label, when] = around(field.value, "if", "choose: LABEL if ASSERTION");
  return {label_in(label), read_expectation({field.line, when})};
}

/// The alternative of that type, which takes the place of an empty one.
template <class Wanted>
Wanted& kind_as(Prediction& prediction, std::optional<std::string>& chosen, const Field& field) {
  if (chosen && *chosen != field.key)
    throw UsageError(field.key, fmt::format("is a second kind beside {}", *chosen),
                     "make one prediction per step");
  const bool repeats = field.key == "order" || field.key == "choose";
  if (chosen && !repeats)
    throw UsageError(field.key, "is there twice", "make one prediction per step");
  if (!chosen) prediction.kind = Wanted{};
  chosen = field.key;
  return std::get<Wanted>(prediction.kind);
}

void read_field(const Field& field, Prediction& prediction, std::optional<std::string>& chosen) {
  using P = Prediction;
  const std::string& value = field.value;
  read_key(
      field, "predict",
      {{"ask", [&] { prediction.ask = value; }},
       {"reveal", [&] { prediction.reveal = value; }},
       {"draw", [&] { kind_as<P::Draw>(prediction, chosen, field) = read_draw(value); }},
       {"mark", [&] { kind_as<P::Mark>(prediction, chosen, field) = read_mark(value); }},
       {"order",
        [&] { kind_as<P::Order>(prediction, chosen, field).items.push_back(read_item(value)); }},
       {"guess", [&] { kind_as<P::Guess>(prediction, chosen, field) = read_guess(value); }},
       {"choose", [&] {
          kind_as<P::Choose>(prediction, chosen, field).options.push_back(read_option(field));
        }}});
}

std::size_t alternatives_in(const PredictionKind& kind) {
  if (const auto* order = std::get_if<Prediction::Order>(&kind)) return order->items.size();
  if (const auto* choose = std::get_if<Prediction::Choose>(&kind)) return choose->options.size();
  return 2;
}

}  // namespace

void read_scoreboard(const LessonBlock& block, Lesson& lesson, const Guarded& guarded) {
  for (const Line& line : statements_of(block))
    guarded(line.number, [&] { read_entry(line, lesson); });
}

WishTick read_tick(const Line& line) {
  const std::string form = "write CODE WISH: yes, no or partly if ASSERTION";
  const std::size_t colon = find_unquoted(line.text, ": ");
  const std::size_t condition = find_unquoted(line.text, " if ");
  const std::size_t percent = find_unquoted(line.text, " % ");
  const std::vector<std::string> box = words_in(line.text.substr(0, colon));
  if (colon == std::string::npos || condition == std::string::npos || condition < colon ||
      percent < condition || box.size() != 2)
    throw UsageError(in_quotes(line.text), "settles no box of the scoreboard", form);
  const std::size_t from = condition + 4;
  WishTick tick{.line = line.number, .code = box[0], .wish = box[1]};
  tick.mark = mark_named(trimmed(line.text.substr(colon + 2, condition - colon - 2)));
  tick.when = read_expectation({line.number, trimmed(line.text.substr(from, percent - from))});
  if (percent != std::string::npos) tick.remark = trimmed(line.text.substr(percent + 3));
  return tick;
}

Prediction read_prediction(const LessonBlock& block, const Guarded& guarded) {
  Prediction prediction{.line = block.line};
  std::optional<std::string> chosen;
  std::vector<Field> fields;
  guarded(block.line, [&] { fields = fields_of(block); });
  for (const Field& field : fields)
    guarded(field.line, [&] { read_field(field, prediction, chosen); });
  guarded(block.line, [&] {
    if (prediction.ask.empty())
      throw UsageError("predict", "asks nothing", "write ask: and the question");
    if (!chosen)
      throw UsageError("predict", "has no kind",
                       "write one of draw:, mark:, order:, guess: and choose:");
    if (alternatives_in(prediction.kind) < 2)
      throw UsageError("predict", "has fewer than two alternatives", "add another line");
  });
  return prediction;
}

}  // namespace orrery
