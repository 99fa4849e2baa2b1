#include "experiments/lessons/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

using Cell = std::pair<std::size_t, std::size_t>;

Answer draw_truth(const Prediction::Draw& draw, const Facts& facts) {
  const Series& series = series_named(facts.result, draw.figure, draw.series);
  if (series.x.size() < 2)
    throw UsageError(draw.series, "has fewer than two points", "choose another curve");
  return {.x = series.x, .y = series.y};
}

/// Two cells whose relative difference is at most this count as equal.
constexpr double rounding = 1e-6;

bool differ(double a, double b) {
  return !(std::abs(a - b) <= rounding * (1 + std::abs(a) + std::abs(b)));
}

Answer mark_truth(const Prediction::Mark& mark, const Facts& facts, const ResultWith& results) {
  const NamedMap map = map_named(facts.result, mark.map);
  const bool changed = !mark.changed_by.empty();
  const auto other = changed ? results(mark.changed_by) : nullptr;
  const NamedMap beside = changed ? map_named(*other, mark.map) : map;
  if (beside.rows != map.rows || beside.columns != map.columns)
    throw UsageError(mark.map, "has another size once it is changed", "change what keeps its size");
  const double bound = changed ? 0 : value_of(mark.threshold, facts);
  Answer truth;
  for (std::size_t row = 0; row < map.rows; ++row)
    for (std::size_t column = 0; column < map.columns; ++column) {
      if (map.is_masked(row, column)) continue;
      const double value = map.at(row, column);
      if (changed ? differ(value, beside.at(row, column))
                  : compares(value, {.sign = mark.sign}, bound))
        truth.cells.emplace_back(row, column);
    }
  return truth;
}

Answer order_truth(const Prediction::Order& order, const Facts& facts) {
  std::vector<double> keys;
  for (const Prediction::Order::Item& item : order.items) {
    keys.push_back(value_of(item.key, facts));
    if (std::isnan(keys.back()))
      throw UsageError(item.label, "has no number to be ordered by", "choose another expression");
  }
  Answer truth;
  truth.order.resize(keys.size());
  std::iota(truth.order.begin(), truth.order.end(), std::size_t{0});
  std::stable_sort(truth.order.begin(), truth.order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[truth.order[i - 1]] == keys[truth.order[i]])
      throw UsageError(order.items[truth.order[i]].label, "is equal to the item before it",
                       "leave one of them out");
  return truth;
}

Answer guess_truth(const Prediction::Guess& guess, const Facts& facts) {
  const double number = value_of(guess.truth, facts);
  if (!(number >= guess.from && number <= guess.to))
    throw UsageError(fmt::format("{}", number), "lies outside of the slider",
                     fmt::format("widen {} to {}", guess.from, guess.to));
  return {.number = number};
}

Answer choose_truth(const Prediction::Choose& choose, const StepState& state,
                    const ResultWith& results) {
  Answer truth;
  for (const Prediction::Choose::Option& option : choose.options) {
    const ParamSet params = with_words(state.params, option.when.with);
    const auto result = results(option.when.with);
    truth.options.push_back(judge(option.when.assertion, {*result, params}).holds);
  }
  if (std::find(truth.options.begin(), truth.options.end(), true) == truth.options.end())
    throw UsageError("choose", "has no option that is true", "correct the assertions");
  return truth;
}

std::size_t cells_in_common(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&](const Cell& cell) {
    return std::find(b.begin(), b.end(), cell) != b.end();
  }));
}

std::string cells_text(std::size_t count) {
  return count == 1 ? std::string("1 cell") : fmt::format("{} cells", count);
}

std::string describe_cells(const Answer& given, const Answer& truth) {
  const std::size_t common = cells_in_common(given.cells, truth.cells);
  if (common == truth.cells.size() && common == given.cells.size())
    return fmt::format("{}, and you marked these.", cells_text(common));
  return fmt::format("{} in truth; you marked {}, {} of them among these.",
                     cells_text(truth.cells.size()), cells_text(given.cells.size()), common);
}

/// Pairs of items whose order is the same in both.
std::string describe_order(const Prediction::Order& order, const Answer& given,
                           const Answer& truth) {
  std::vector<std::string> labels;
  for (const std::size_t item : truth.order) labels.push_back(order.items[item].label);
  const std::string line = fmt::format("{}", fmt::join(labels, " < "));
  if (given.order == truth.order) return line + ", as you put them.";
  std::size_t pairs = 0, same = 0;
  const auto place = [](const Answer& answer, std::size_t item) {
    return std::find(answer.order.begin(), answer.order.end(), item) - answer.order.begin();
  };
  for (std::size_t a = 0; a < order.items.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      ++pairs;
      same += (place(given, a) < place(given, b)) == (place(truth, a) < place(truth, b)) ? 1U : 0U;
    }
  return fmt::format("{}; you put {} of {} pairs this way round.", line, same, pairs);
}

std::string with_unit_text(double number, const std::string& unit) {
  return unit.empty() ? short_label(number) : fmt::format("{} {}", short_label(number), unit);
}

std::string describe_guess(const Prediction::Guess& guess, const Answer& given,
                           const Answer& truth) {
  const std::string said = with_unit_text(truth.number, guess.unit);
  if (given.number == truth.number) return fmt::format("It is {}, as you said.", said);
  const std::string side = given.number > truth.number ? "more" : "less";
  return fmt::format("It is {}; you said {}, {} {}.", said, short_label(given.number),
                     short_label(std::abs(given.number - truth.number)), side);
}

std::string options_text(const Prediction::Choose& choose, const Answer& answer) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < choose.options.size() && i < answer.options.size(); ++i)
    if (answer.options[i]) labels.push_back(fmt::format("“{}”", choose.options[i].label));
  return labels.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(labels, " and "));
}

std::string describe_choice(const Prediction::Choose& choose, const Answer& given,
                            const Answer& truth) {
  if (given.options == truth.options)
    return fmt::format("{} holds, as you said.", options_text(choose, truth));
  return fmt::format("{} holds; you chose {}.", options_text(choose, truth),
                     options_text(choose, given));
}

template <class... Readers>
struct Overloaded : Readers... {
  using Readers::operator()...;
};
template <class... Readers>
Overloaded(Readers...) -> Overloaded<Readers...>;

}  // namespace

Answer truth_of(const Prediction& prediction, const StepState& state, const ResultWith& results) {
  const auto own = results({});
  const Facts facts{*own, state.params};
  return std::visit(
      Overloaded{
          [&](const Prediction::Draw& draw) { return draw_truth(draw, facts); },
          [&](const Prediction::Mark& mark) { return mark_truth(mark, facts, results); },
          [&](const Prediction::Order& order) { return order_truth(order, facts); },
          [&](const Prediction::Guess& guess) { return guess_truth(guess, facts); },
          [&](const Prediction::Choose& choose) { return choose_truth(choose, state, results); }},
      prediction.kind);
}

std::string describe_answer(const Prediction& prediction, const Answer& given,
                            const Answer& truth) {
  return std::visit(
      Overloaded{
          [&](const Prediction::Draw&) { return describe_curve(given, truth); },
          [&](const Prediction::Mark&) { return describe_cells(given, truth); },
          [&](const Prediction::Order& order) { return describe_order(order, given, truth); },
          [&](const Prediction::Guess& guess) { return describe_guess(guess, given, truth); },
          [&](const Prediction::Choose& choose) { return describe_choice(choose, given, truth); }},
      prediction.kind);
}

std::string truth_text(const Prediction& prediction, const Answer& truth) {
  return std::visit(Overloaded{[&](const Prediction::Draw&) { return curve_text(truth); },
                               [&](const Prediction::Mark&) {
                                 return truth.cells.empty() ? std::string("No cell.")
                                                            : cells_text(truth.cells.size()) + ".";
                               },
                               [&](const Prediction::Order& order) {
                                 std::vector<std::string> labels;
                                 for (const std::size_t item : truth.order)
                                   labels.push_back(order.items[item].label);
                                 return fmt::format("{}.", fmt::join(labels, " < "));
                               },
                               [&](const Prediction::Guess& guess) {
                                 return with_unit_text(truth.number, guess.unit) + ".";
                               },
                               [&](const Prediction::Choose& choose) {
                                 return options_text(choose, truth) + ".";
                               }},
                    prediction.kind);
}

std::string hint_for(const LessonTask& task, const Facts& facts) {
  if (judge(task.until, facts).holds) return "";
  for (const LessonTask::Hint& hint : task.hints)
    if (!hint.when || judge(*hint.when, facts).holds) return hint.text;
  return "";
}

std::vector<PlacedNote> placed_notes(const std::vector<FigureNote>& notes, const Facts& facts) {
  std::vector<PlacedNote> placed;
  for (const FigureNote& note : notes)
    placed.push_back({note.figure, value_of(note.x, facts), value_of(note.y, facts), note.text});
  return placed;
}

}  // namespace orrery
