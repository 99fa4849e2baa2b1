#include "experiments/lessons/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/errors.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double shake = 0.02;         ///< of the true curve's range
constexpr std::size_t compared = 128;  ///< places at which two curves are compared

/// Both curves at places that they share.
struct Shared {
  std::vector<double> given{};
  std::vector<double> truth{};
};

Shared shared_places(const Answer& given, const Answer& truth) {
  Shared shared;
  const Series drawn{.name = "drawn", .x = given.x, .y = given.y};
  const std::size_t stride = 1 + truth.x.size() / compared;
  for (std::size_t i = 0; i < truth.x.size(); i += stride) {
    const double x = truth.x[i];
    if (given.x.empty() || x < given.x.front() || x > given.x.back()) continue;
    shared.given.push_back(value_at(drawn, x));
    shared.truth.push_back(truth.y[i]);
  }
  return shared;
}

std::string times(std::size_t count) {
  return count == 0 ? "not once" : count == 1 ? "once" : fmt::format("{} times", count);
}

std::string rises_text(const Answer& truth) {
  const std::size_t rises = rises_of(truth.y);
  if (rises == 0) return "it never rises";
  return fmt::format("it rises at {} of {} steps", rises, truth.y.size() - 1);
}

/// What a hand draws as level when it draws this curve: 2 % of its range.
double shake_of(const Answer& truth) {
  const Range range = extent_of(truth.y);
  return shake * (range.max - range.min);
}

/// The true curve in words: "from 32.5 to 9.27; it rises at 115 of 256 steps".
std::string curve_text(const Answer& truth) {
  return fmt::format("From {} at {} to {} at {}; {}.", short_label(truth.y.front()),
                     short_label(truth.x.front()), short_label(truth.y.back()),
                     short_label(truth.x.back()), rises_text(truth));
}

/// Describes a curve that was drawn beside the true one: where both rise, end and turn, and how far
/// their order agrees. Pixels are not compared.
std::string describe_curve(const Answer& given, const Answer& truth) {
  const std::string rises = rises_text(truth);
  if (given.y.empty()) return curve_text(truth);
  std::string text =
      fmt::format("{}; yours rises {}.", rises, times(rising_stretches(given.y, shake_of(truth))));
  text.front() = 'I';
  text += fmt::format(" It ends at {}, yours at {}.", short_label(truth.y.back()),
                      short_label(given.y.back()));
  const Shared shared = shared_places(given, truth);
  const double agreement = rank_agreement(shared.given, shared.truth);
  if (!std::isnan(agreement))
    text += fmt::format(" Of two places, {:.0f} % are higher and lower as you drew them.",
                        50 * (1 + agreement));
  return text;
}

std::string chosen_text(const Prediction::Choose& choose, std::span<const Answer> given,
                        const Answer& truth) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < choose.options.size(); ++i) {
    const auto hands = std::ranges::count_if(given, [&](const Answer& answer) {
      return i < answer.options.size() && answer.options[i];
    });
    const bool holds = i < truth.options.size() && truth.options[i];
    parts.push_back(
        fmt::format("“{}” {}{}", choose.options[i].label, hands, holds ? " (this holds)" : ""));
  }
  return fmt::format("{} answers: {}.", given.size(), fmt::join(parts, ", "));
}

std::string guessed_text(const Prediction::Guess& guess, std::span<const Answer> given,
                         const Answer& truth) {
  std::vector<double> numbers;
  for (const Answer& answer : given) numbers.push_back(answer.number);
  std::ranges::sort(numbers);
  const std::string unit = guess.unit.empty() ? "" : " " + guess.unit;
  return fmt::format("{} guesses from {} to {}, the middle one {}; it is {}{}.", given.size(),
                     short_label(numbers.front()), short_label(numbers.back()),
                     short_label(numbers[numbers.size() / 2]), short_label(truth.number), unit);
}

std::string drawn_text(std::span<const Answer> given, const Answer& truth) {
  const auto falling = std::ranges::count_if(given, [&](const Answer& answer) {
    return rising_stretches(answer.y, shake_of(truth)) == 0;
  });
  return fmt::format("{} of {} drawings never rise. {}", falling, given.size(), curve_text(truth));
}

using Cell = std::pair<std::size_t, std::size_t>;

Answer draw_truth(const Prediction::Draw& draw, const LessonFacts& facts) {
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

Answer mark_truth(const Prediction::Mark& mark, const LessonFacts& facts,
                  const ResultWith& results) {
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

Answer order_truth(const Prediction::Order& order, const LessonFacts& facts) {
  std::vector<double> keys;
  for (const Prediction::Order::Item& item : order.items) {
    keys.push_back(value_of(item.key, facts));
    if (std::isnan(keys.back()))
      throw UsageError(item.label, "has no number to be ordered by", "choose another expression");
  }
  Answer truth;
  truth.order.resize(keys.size());
  std::iota(truth.order.begin(), truth.order.end(), std::size_t{0});
  std::ranges::stable_sort(truth.order,
                           [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[truth.order[i - 1]] == keys[truth.order[i]])
      throw UsageError(order.items[truth.order[i]].label, "is equal to the item before it",
                       "leave one of them out");
  return truth;
}

Answer guess_truth(const Prediction::Guess& guess, const LessonFacts& facts) {
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
  if (std::ranges::find(truth.options, true) == truth.options.end())
    throw UsageError("choose", "has no option that is true", "correct the assertions");
  return truth;
}

std::size_t cells_in_common(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  return static_cast<std::size_t>(std::ranges::count_if(
      a, [&](const Cell& cell) { return std::ranges::find(b, cell) != b.end(); }));
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
    return std::ranges::find(answer.order, item) - answer.order.begin();
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

std::string describe_class(const Prediction& prediction, std::span<const Answer> given,
                           const Answer& truth) {
  if (given.empty()) return truth_text(prediction, truth);
  if (const auto* choose = std::get_if<Prediction::Choose>(&prediction.kind))
    return chosen_text(*choose, given, truth);
  if (const auto* guess = std::get_if<Prediction::Guess>(&prediction.kind))
    return guessed_text(*guess, given, truth);
  if (std::holds_alternative<Prediction::Draw>(prediction.kind)) return drawn_text(given, truth);
  const auto same = std::ranges::count_if(given, [&](const Answer& answer) {
    return answer.order == truth.order && answer.cells == truth.cells;
  });
  return fmt::format("{} of {} answered so: {}", same, given.size(), truth_text(prediction, truth));
}

std::size_t rising_stretches(const std::vector<double>& y, double least) {
  std::size_t stretches = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool counted = false;
  for (const double value : y) {
    if (!counted) {
      if (value < low) low = value;
      counted = value - low > least;
      stretches += counted ? 1 : 0;
      high = value;
    } else {
      if (value > high) high = value;
      if (high - value > least) {
        counted = false;
        low = value;
      }
    }
  }
  return stretches;
}

double rank_agreement(const std::vector<double>& a, const std::vector<double>& b) {
  double same = 0, opposite = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double product = (a[i] - a[j]) * (b[i] - b[j]);
      same += product > 0 ? 1 : 0;
      opposite += product < 0 ? 1 : 0;
    }
  return (same - opposite) / (same + opposite);
}

Answer truth_of(const Prediction& prediction, const StepState& state, const ResultWith& results) {
  const auto own = results({});
  const LessonFacts facts{*own, state.params};
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

std::string hint_for(const LessonTask& task, const LessonFacts& facts) {
  if (judge(task.until, facts).holds) return "";
  for (const LessonTask::Hint& hint : task.hints)
    if (!hint.when || judge(*hint.when, facts).holds) return hint.text;
  return "";
}

std::vector<PlacedNote> placed_notes(const std::vector<FigureNote>& notes,
                                     const LessonFacts& facts) {
  std::vector<PlacedNote> placed;
  for (const FigureNote& note : notes)
    placed.push_back({note.figure, value_of(note.x, facts), value_of(note.y, facts), note.text});
  return placed;
}

}  // namespace orrery
