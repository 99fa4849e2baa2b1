#include "experiments/lessons/describe_curve.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "experiments/lessons/evaluate.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

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

std::size_t rises_in(const std::vector<double>& y) {
  std::size_t rises = 0;
  for (std::size_t i = 1; i < y.size(); ++i) rises += y[i] > y[i - 1] ? 1U : 0U;
  return rises;
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
  const std::size_t rises = rises_in(truth.y);
  if (rises == 0) return "it never rises";
  return fmt::format("it rises at {} of {} steps", rises, truth.y.size() - 1);
}

}  // namespace

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
