#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/lessons/evaluate.h"
#include "experiments/lessons/prediction.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

std::string chosen_text(const Prediction::Choose& choose, std::span<const Answer> given,
                        const Answer& truth) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < choose.options.size(); ++i) {
    const auto hands = std::count_if(given.begin(), given.end(), [&](const Answer& answer) {
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
  std::sort(numbers.begin(), numbers.end());
  const std::string unit = guess.unit.empty() ? "" : " " + guess.unit;
  return fmt::format("{} guesses from {} to {}, the middle one {}; it is {}{}.", given.size(),
                     short_label(numbers.front()), short_label(numbers.back()),
                     short_label(numbers[numbers.size() / 2]), short_label(truth.number), unit);
}

std::string drawn_text(std::span<const Answer> given, const Answer& truth) {
  const auto falling = std::count_if(given.begin(), given.end(), [&](const Answer& answer) {
    return rising_stretches(answer.y, shake_of(truth)) == 0;
  });
  return fmt::format("{} of {} drawings never rise. {}", falling, given.size(), curve_text(truth));
}

constexpr double shake = 0.02;         ///< of the true curve's range
constexpr std::size_t compared = 128;  ///< places at which two curves are compared

double range_of(const std::vector<double>& y) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : y) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high - low;
}

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

}  // namespace

std::string describe_class(const Prediction& prediction, std::span<const Answer> given,
                           const Answer& truth) {
  if (given.empty()) return truth_text(prediction, truth);
  if (const auto* choose = std::get_if<Prediction::Choose>(&prediction.kind))
    return chosen_text(*choose, given, truth);
  if (const auto* guess = std::get_if<Prediction::Guess>(&prediction.kind))
    return guessed_text(*guess, given, truth);
  if (std::holds_alternative<Prediction::Draw>(prediction.kind)) return drawn_text(given, truth);
  const auto same = std::count_if(given.begin(), given.end(), [&](const Answer& answer) {
    return answer.order == truth.order && answer.cells == truth.cells;
  });
  return fmt::format("{} of {} answered so: {}", same, given.size(), truth_text(prediction, truth));
}

double shake_of(const Answer& truth) { return shake * range_of(truth.y); }

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

std::string curve_text(const Answer& truth) {
  return fmt::format("From {} at {} to {} at {}; {}.", short_label(truth.y.front()),
                     short_label(truth.x.front()), short_label(truth.y.back()),
                     short_label(truth.x.back()), rises_text(truth));
}

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

}  // namespace orrery
