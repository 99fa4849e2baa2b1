#include "experiments/batch/welch.h"

#include <cmath>
#include <limits>

namespace orrery {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double significance = 0.05;  ///< of the interval: 95%

/// The continued fraction of I_x(a, b), by Lentz's method (NIST DLMF 8.17.22).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;  // in place of 0, which Lentz's method cannot divide by
  constexpr double enough = 1e-15;
  constexpr int most_steps = 100000;
  const auto kept = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1.0, d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)), fraction = d;
  for (int m = 1; m <= most_steps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / kept(1.0 + even * d);
    c = kept(1.0 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / kept(1.0 + odd * d);
    c = kept(1.0 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1.0) < enough) break;
  }
  return fraction;
}

/// ln Γ(a + ½) − ln Γ(a). Far out both are large and nearly alike, so that their difference is
/// taken from its asymptotic series (error below 31/18432 a^−9).
double log_gamma_half_step(double a) {
  constexpr double far_out = 20.0;
  if (a < far_out) return std::lgamma(a + 0.5) - std::lgamma(a);
  const double u = 1.0 / a, u2 = u * u;
  return 0.5 * std::log(a) -
         u * (1.0 / 8 - u2 * (1.0 / 192 - u2 * (1.0 / 640 - u2 * 17.0 / 14336)));
}

/// ln x, from y = 1 − x where that is the smaller.
double log_of(double x, double y) { return y < 0.5 ? std::log1p(-y) : std::log(x); }

/// Regularised incomplete beta I_x(a, b), one of a and b being ½, with y = 1 − x given apart, as it
/// may be tiny.
double regularised_beta(double x, double y, double a, double b) {
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  const double front = std::exp(log_gamma_half_step(a == 0.5 ? b : a) - std::lgamma(0.5) +
                                a * log_of(x, y) + b * log_of(y, x));
  // The fraction converges fast on one side of the mean; the other follows by symmetry.
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(x, a, b) / a;
  return 1.0 - front * beta_fraction(y, b, a) / b;
}

/// The t that |T| exceeds with probability `p`, by bisection.
double student_quantile(double p, double degrees) {
  double low = 0.0, high = 1.0;
  while (student_two_sided(high, degrees) > p) high *= 2.0;
  constexpr int halvings = 200;  // more than a double has bits
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (student_two_sided(middle, degrees) > p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

SampleMoments sample_moments(std::span<const double> values) {
  SampleMoments moments{values.size(), 0.0, 0.0, 0.0};
  const auto n = static_cast<double>(values.size());
  if (values.empty()) return {0, nan, nan, nan};
  for (const double value : values) moments.mean += value / n;
  for (const double value : values)
    moments.deviation += (value - moments.mean) * (value - moments.mean);
  moments.deviation = values.size() < 2 ? nan : std::sqrt(moments.deviation / (n - 1.0));
  moments.standard_error = moments.deviation / std::sqrt(n);
  return moments;
}

double student_two_sided(double t, double degrees) {
  const double square = t * t;
  if (std::isinf(square)) return 0.0;
  return regularised_beta(degrees / (degrees + square), square / (degrees + square), 0.5 * degrees,
                          0.5);
}

Welch welch_test(const SampleMoments& a, const SampleMoments& b) {
  Welch test{b.mean - a.mean, nan, nan, nan, nan, nan};
  if (a.n < 2 || b.n < 2) return test;
  const double va = a.standard_error * a.standard_error, vb = b.standard_error * b.standard_error;
  const double error = std::sqrt(va + vb);
  if (!(error > 0.0)) return test;
  test.t = test.difference / error;
  test.degrees = (va + vb) * (va + vb) /
                 (va * va / static_cast<double>(a.n - 1) + vb * vb / static_cast<double>(b.n - 1));
  test.p = student_two_sided(test.t, test.degrees);
  const double reach = student_quantile(significance, test.degrees) * error;
  test.low = test.difference - reach;
  test.high = test.difference + reach;
  return test;
}

}  // namespace orrery
