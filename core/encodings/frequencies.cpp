#include "core/encodings/frequencies.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"

namespace orrery {
std::vector<double> inverse_frequencies(Index d, double base) {
  if (d <= 0 || d % 2 != 0)
    throw UsageError(fmt::format("d={}", d), "must be even, because channels turn in pairs",
                     fmt::format("use d={} or d={}", d > 1 ? d - 1 : 2, d > 1 ? d + 1 : 4));
  if (!std::isfinite(base) || base <= 1)
    throw UsageError(fmt::format("base={}", base), "must be finite and greater than 1",
                     "the paper's value is base=10000");
  std::vector<double> theta(static_cast<std::size_t>(d / 2));
  for (std::size_t t = 0; t < theta.size(); ++t)
    theta[t] = std::pow(base, -2.0 * static_cast<double>(t) / static_cast<double>(d));
  return theta;
}

std::vector<double> inverse_frequencies(Index d, double base, Precision format) {
  std::vector<double> theta = inverse_frequencies(d, base);
  if (format == Precision::fp64) return theta;
  const auto fp32 = [](double value) { return round_to(Precision::fp32, value); };
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const double exponent = fp32(2.0 * static_cast<double>(t) / static_cast<double>(d));
    theta[t] = round_to(format, fp32(1.0 / fp32(std::pow(fp32(base), exponent))));
  }
  return theta;
}

CosSin rotation_at(Position position, double theta) {
  const auto m = static_cast<double>(position);
  const double angle = m * theta;
  const double rest = std::fma(m, theta, -angle);  // angle + rest is the exact product
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  constexpr double linear_below = 0x1p-27;  // where the next term of the series is lost in rounding
  if (std::abs(rest) < linear_below) return {c - rest * s, s + rest * c};
  const double rest_c = std::cos(rest);
  const double rest_s = std::sin(rest);
  return {c * rest_c - s * rest_s, s * rest_c + c * rest_s};
}

}  // namespace orrery
