#include "experiments/statistics/welch.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

using boost::math::complement;
// Without long double, which takes as long again to compile.
using Students = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double significance = 0.05;  // the interval covers 95%

}  // namespace

double student_two_sided(double t, double degrees) {
  return 2.0 * boost::math::cdf(complement(Students(degrees), std::abs(t)));
}

double student_quantile(double p, double degrees) {
  return boost::math::quantile(complement(Students(degrees), 0.5 * p));
}

SampleMoments sample_moments(std::span<const double> values) {
  SampleMoments moments{values.size(), 0.0, 0.0, 0.0};
  const auto n = static_cast<double>(values.size());
  if (values.empty()) return {0, nan, nan, nan};
  // The mean of equal numbers is that number, and not next to it.
  if (std::ranges::all_of(values, [&](double v) { return v == values.front(); })) {
    const double spread = values.size() < 2 ? nan : 0.0;
    return {values.size(), values.front(), spread, spread};
  }
  for (const double value : values) moments.mean += value / n;
  for (const double value : values)
    moments.deviation += (value - moments.mean) * (value - moments.mean);
  moments.deviation = values.size() < 2 ? nan : std::sqrt(moments.deviation / (n - 1.0));
  moments.standard_error = moments.deviation / std::sqrt(n);
  return moments;
}

double sample_mean(std::span<const double> values) { return sample_moments(values).mean; }

MeanInterval mean_interval(const SampleMoments& sample) {
  if (sample.n < 2 || !std::isfinite(sample.standard_error)) return {nan, nan};
  const double reach =
      student_quantile(significance, static_cast<double>(sample.n - 1)) * sample.standard_error;
  return {sample.mean - reach, sample.mean + reach};
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

Welch paired_test(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = std::min<std::size_t>(a.size(), b.size());
  std::vector<double> differences(n);
  for (std::size_t i = 0; i < n; ++i) differences[i] = b[i] - a[i];
  const SampleMoments moments = sample_moments(differences);
  Welch test{moments.mean, nan, nan, nan, nan, nan};
  if (n < 2 || !(moments.standard_error > 0.0) || !std::isfinite(moments.standard_error))
    return test;
  test.t = moments.mean / moments.standard_error;
  test.degrees = static_cast<double>(n - 1);
  test.p = student_two_sided(test.t, test.degrees);
  const MeanInterval interval = mean_interval(moments);
  test.low = interval.low;
  test.high = interval.high;
  return test;
}

std::vector<double> holm_corrected(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.begin(), p.end());
  double largest = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double scaled = static_cast<double>(order.size() - i) * p[order[i]];
    largest = std::clamp(scaled, largest, 1.0);
    corrected[order[i]] = largest;
  }
  return corrected;
}

}  // namespace orrery
