// What a class predicted, counted and described together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/lessons/describe_curve.h"
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

}  // namespace orrery
