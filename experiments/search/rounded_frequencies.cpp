#include "experiments/search/rounded_frequencies.h"

#include <algorithm>
#include <cmath>

#include "experiments/search/known_numbers.h"

namespace orrery {
namespace {

/// Mean square in standard errors; beyond a few a pair is wrong, by however much.
double misfit_of(const WrittenRope& rope, const std::vector<FrequencyEstimate>& estimates) {
  constexpr double most = 5;
  const std::vector<double> theta = frequencies_of(rope);
  const double direction = rope.clockwise ? -1.0 : 1.0;
  double sum = 0;
  for (std::size_t t = 0; t < estimates.size(); ++t) {
    const FrequencyEstimate& e = estimates[t];
    const double off = std::remainder(direction * theta[t] - e.theta, e.period);
    const double errors = off / (e.error + 1e-7 * std::abs(theta[t]));
    sum += std::min<double>(errors * errors, most * most);
  }
  return sum / static_cast<double>(estimates.size());
}

/// The number of the interval with the fewest digits.
double shortest_between(double low, double high) {
  const double middle = std::sqrt(low * high);
  for (int digits = 1; digits < 15; ++digits) {
    const double rounded = rounded_to_digits(middle, digits);
    if (rounded >= low && rounded <= high) return rounded;
  }
  return middle;
}

}  // namespace

WrittenRope with_rounded_frequencies(const WrittenRope& rope, Precision format,
                                     const std::vector<FrequencyEstimate>& estimates) {
  constexpr double step = 1e-5, reach = 0.015;  // of ln base
  constexpr double agreeing = 1e-9;
  WrittenRope rounded = rope;
  rounded.rounding.set(Stage::inv_freq, format);
  double least = misfit_of(rounded, estimates), low = rope.base, high = rope.base;
  bool open = false;  // whether the interval of the best goes on
  for (double along = -reach; along <= reach; along += step) {
    rounded.base = rope.base * std::exp(along);
    if (!(rounded.base > 1.01)) continue;
    const double misfit = misfit_of(rounded, estimates);
    if (misfit < least - agreeing) {
      least = misfit;
      low = high = rounded.base;
      open = true;
    } else if (open && misfit < least + agreeing) {
      high = rounded.base;
    } else {
      open = false;
    }
  }
  rounded.base = shortest_between(low, high);
  return rounded;
}

}  // namespace orrery
