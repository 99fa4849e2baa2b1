#include "experiments/reports/welch.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace orrery::reports {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double significance = 0.05;  // the interval covers 95%

using Students = boost::math::students_t;

/// The t that |T| exceeds with probability p.
double student_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::complement(Students(degrees), 0.5 * p));
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
  return 2.0 * boost::math::cdf(boost::math::complement(Students(degrees), std::abs(t)));
}

Welch welch_test(const SampleMoments& a, const SampleMoments& b) {
  Welch test{b.mean - a.mean, nan, nan, nan, nan, nan};
  if (a.n < 2 || b.n < 2) return test;
  const double error = std::hypot(a.standard_error, b.standard_error);
  if (!(error > 0.0) || !std::isfinite(error)) return test;
  test.t = test.difference / error;
  // Shares of the squared error, so that no square overflows.
  const double in_a = std::pow(a.standard_error / error, 2),
               in_b = std::pow(b.standard_error / error, 2);
  test.degrees = 1.0 / (in_a * in_a / static_cast<double>(a.n - 1) +
                        in_b * in_b / static_cast<double>(b.n - 1));
  test.p = student_two_sided(test.t, test.degrees);
  const double reach = student_quantile(significance, test.degrees) * error;
  test.low = test.difference - reach;
  test.high = test.difference + reach;
  return test;
}

}  // namespace orrery::reports
