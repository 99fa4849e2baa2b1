#include "core/analysis/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.h"

namespace orrery {

std::vector<double> wavelengths(std::span<const double> theta) {
  std::vector<double> lambda;
  for (const double frequency : theta) lambda.push_back(2.0 * std::numbers::pi / frequency);
  return lambda;
}

Index pairs_beyond(std::span<const double> theta, double context) {
  const std::vector<double> lambda = wavelengths(theta);
  return std::count_if(lambda.begin(), lambda.end(), [&](double l) { return l > context; });
}

std::vector<double> interpolated(std::span<const double> theta, double factor) {
  if (!std::isfinite(factor) || factor <= 0)
    throw UsageError(fmt::format("factor={}", factor), "must be finite and positive",
                     "a factor of 8 fits eight times the context");
  std::vector<double> slower(theta.begin(), theta.end());
  for (double& frequency : slower) frequency /= factor;
  return slower;
}

std::optional<double> base_reaching(Index d, double context) {
  const double turns = context / (2.0 * std::numbers::pi);
  if (d < 4 || turns <= 1) return std::nullopt;
  return std::pow(turns, static_cast<double>(d) / static_cast<double>(d - 2));
}

}  // namespace orrery
