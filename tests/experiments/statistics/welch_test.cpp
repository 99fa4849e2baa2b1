#include "experiments/statistics/welch.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/support/golden_file.h"

using namespace orrery;

namespace {

/// By reference: what a loop runs over must not end before the loop.
const nlohmann::json& golden() {
  static const nlohmann::json json = test::golden("welch.json");
  return json;
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("Student's tail probability agrees with mpmath to ten digits") {
  for (const auto& row : golden().at("tails")) {
    const double t = row[0], degrees = row[1], p = row[2];
    INFO(t << " at " << degrees);
    CHECK(student_two_sided(t, degrees) == Approx(p).epsilon(1e-10).margin(1e-300));
    CHECK(student_two_sided(-t, degrees) == student_two_sided(t, degrees));
  }
}

TEST_CASE("Welch's test agrees with scipy: t, degrees of freedom, p and the 95% interval") {
  for (const auto& row : golden().at("tests")) {
    const Welch test = welch_test(sample_moments(row.at("a").get<Numbers>()),
                                  sample_moments(row.at("b").get<Numbers>()));
    CHECK(test.t == Approx(row.at("t").get<double>()).epsilon(1e-6).margin(1e-6));
    CHECK(test.degrees == Approx(row.at("degrees").get<double>()).epsilon(1e-6));
    CHECK(test.p == Approx(row.at("p").get<double>()).epsilon(1e-6));
    CHECK(test.low == Approx(row.at("low").get<double>()).epsilon(1e-8));
    CHECK(test.high == Approx(row.at("high").get<double>()).epsilon(1e-8));
  }
}

TEST_CASE("Moments worked by hand: 1, 2, 6") {
  const SampleMoments moments = sample_moments(Numbers{1.0, 2.0, 6.0});
  CHECK(moments.n == 3);
  CHECK(moments.mean == Approx(3.0));
  CHECK(moments.deviation == Approx(std::sqrt(7.0)));
  CHECK(moments.standard_error == Approx(std::sqrt(7.0 / 3.0)));
}

TEST_CASE("One number has no spread, and no spread has no test") {
  const SampleMoments one = sample_moments(Numbers{4.0}), two = sample_moments(Numbers{5.0, 5.0});
  CHECK(std::isnan(one.deviation));
  CHECK(std::isnan(sample_moments({}).mean));
  CHECK(welch_test(one, two).difference == 1.0);
  CHECK(std::isnan(welch_test(one, two).p));
  CHECK(std::isnan(welch_test(two, two).t));
}

TEST_CASE("Large samples keep their test, and none is made where the spread overflows") {
  const SampleMoments a = sample_moments(std::vector<double>{1, 2, 3});
  const SampleMoments b = sample_moments(std::vector<double>{2, 4, 9});
  const SampleMoments large_a{3, 1e200 * a.mean, 1e200 * a.deviation, 1e200 * a.standard_error};
  const SampleMoments large_b{3, 1e200 * b.mean, 1e200 * b.deviation, 1e200 * b.standard_error};
  const Welch test = welch_test(a, b), large = welch_test(large_a, large_b);
  CHECK(large.degrees == Approx(test.degrees).epsilon(1e-14));
  CHECK(large.p == Approx(test.p).epsilon(1e-12));
  const SampleMoments spread = sample_moments(std::vector<double>{0, 1e300});
  CHECK(std::isinf(spread.deviation));
  CHECK(std::isnan(welch_test(spread, a).p));
  CHECK(std::isnan(welch_test(a, sample_moments(std::vector<double>{-1e308, 1e308})).degrees));
}

TEST_CASE("The interval of a mean is that of Student's t: 1, 2, 6") {
  const MeanInterval interval = mean_interval(sample_moments(Numbers{1.0, 2.0, 6.0}));
  const double reach = 4.302652729696 * std::sqrt(7.0 / 3.0);  // 97.5 % quantile for 2 degrees
  CHECK(interval.low == Approx(3.0 - reach).epsilon(1e-10));
  CHECK(interval.high == Approx(3.0 + reach).epsilon(1e-10));
  CHECK(std::isnan(mean_interval(sample_moments(Numbers{4.0})).low));
}

TEST_CASE("Equal numbers have their own mean and no spread, to the bit") {
  const Numbers same(3, -128.1);
  const SampleMoments moments = sample_moments(same);
  CHECK(moments.mean == -128.1);
  CHECK(moments.deviation == 0.0);
}

TEST_CASE("Pairs are compared by their differences, whatever they share") {
  const Numbers a{1.0, 100.0, -50.0}, b{2.0, 102.0, -47.0};  // differences 1, 2, 3
  const Welch test = paired_test(a, b);
  CHECK(test.difference == Approx(2.0));
  CHECK(test.t == Approx(2.0 * std::sqrt(3.0)));
  CHECK(test.degrees == 2.0);
  CHECK(test.p == Approx(0.0741799).epsilon(1e-5));
  CHECK(welch_test(sample_moments(a), sample_moments(b)).p > 0.9);
}

TEST_CASE("Holm's correction: the smallest p counts for all tests, the next for one less") {
  const double none = std::nan("");
  const std::vector<double> p = holm_corrected(Numbers{0.01, 0.04, none, 0.03, 0.9});
  CHECK(p[0] == Approx(0.04));
  CHECK(p[1] == Approx(0.09));  // not 2 · 0.04: never below that of a smaller p
  CHECK(std::isnan(p[2]));
  CHECK(p[3] == Approx(0.09));
  CHECK(p[4] == Approx(0.9));
}
