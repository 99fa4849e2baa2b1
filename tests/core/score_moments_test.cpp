#include "core/analysis/score_chain.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "core/analysis/decay.h"
#include "core/encodings/frequencies.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;
using Complex = std::complex<double>;
using Products = std::vector<Complex>;

namespace {

Moments summed(const Products& c, const std::vector<double>& theta, Position W) {
  double mean = 0, square = 0;
  for (Position m = 0; m < W; ++m) {
    const double score = complex_score(c, theta, m);
    mean += score / static_cast<double>(W);
    square += score * score / static_cast<double>(W);
  }
  return {mean, square - mean * mean};
}

}  // namespace

TEST_CASE("By hand: one pair at quarter turns has the scores 1, 0, −1, 0") {
  const Products c{1.0};
  const std::vector<double> quarter{std::numbers::pi / 2};
  const Moments four = score_moments(c, quarter, 4);
  CHECK(four.mean == Approx(0).margin(1e-15));
  CHECK(four.variance == Approx(0.5));
  const Moments three = score_moments(c, quarter, 3);
  CHECK(three.mean == Approx(0).margin(1e-15));
  CHECK(three.variance == Approx(2.0 / 3));
  CHECK(reversal_probability(four, 1.0) == Approx(0.5));
  CHECK(mean_magnitude(four) == Approx(std::sqrt(1 / std::numbers::pi)));
}

TEST_CASE("Moments, reversal and sensitivity are those of mpmath") {
  const auto file = golden("score_moments.json");
  const auto theta = file.at("theta").get<std::vector<double>>();
  Products c;
  double norm = 0, reference = 0;
  for (const auto& one : file.at("c")) {
    c.emplace_back(one.at(0).get<double>(), one.at(1).get<double>());
    norm += std::norm(c.back());
    reference += c.back().real();
  }
  for (const auto& expected : file.at("cases")) {
    const Position W = expected.at("W").get<Position>();
    INFO(W);
    const auto close = [&](const char* name) {
      return Approx(expected.at(name).get<double>()).epsilon(1e-11).margin(1e-13);
    };
    const Moments moments = score_moments(c, theta, W);
    const Moments step = score_moments(step_products(c, theta), theta, W);
    CHECK(moments.mean == close("mean"));
    CHECK(moments.variance == close("variance"));
    CHECK(step.mean == close("step_mean"));
    CHECK(step.variance == close("step_variance"));
    if (W == 1) continue;  // the variance is 0 but for rounding
    CHECK(reversal_probability(moments, reference) == close("reversal"));
    CHECK(mean_magnitude(step) / std::sqrt(norm) == close("sensitivity"));
  }
}

TEST_CASE("The closed form is the sum over distances, for RoPE's frequencies") {
  Random random(7, "moments");
  for (const Index d : {2, 16, 64}) {
    const std::vector<double> theta = inverse_frequencies(d, 500000);
    Products c;
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const double real = random.normal(), imag = random.normal();
      c.emplace_back(real, imag);
    }
    for (const Position W : {1, 3, 1000, 5000}) {
      const Moments closed = score_moments(c, theta, W), direct = summed(c, theta, W);
      CHECK(closed.mean == Approx(direct.mean).margin(1e-9));
      CHECK(closed.variance == Approx(direct.variance).margin(1e-9));
    }
  }
}

TEST_CASE("A pair that stands still has a mean and no variance") {
  const Products c{{2.0, 1.0}};
  const Moments still = score_moments(c, std::vector<double>{0.0}, 1000);
  CHECK(still.mean == 2);
  CHECK(still.variance == 0);
  CHECK(reversal_probability(still, 3.0) == 0);
  CHECK(reversal_probability(still, -3.0) == 1);
  CHECK(mean_magnitude(still) == 2);
  CHECK(std::abs(step_products(c, std::vector<double>{0.0}).at(0)) == 0);
}

TEST_CASE("Moments refuse what does not fit, and keep a NaN") {
  const Products c{1.0};
  CHECK_THROWS_WITH(score_moments(c, std::vector<double>{1.0, 2.0}, 4), Contains("1 products"));
  CHECK_THROWS_WITH(score_moments(c, std::vector<double>{1.0}, 0), Contains("0 distances"));
  const Moments lost = score_moments(Products{{std::numeric_limits<double>::quiet_NaN(), 0.0}},
                                     std::vector<double>{1.0}, 9);
  CHECK(std::isnan(lost.mean));
  CHECK(std::isnan(lost.variance));
  CHECK(std::isnan(reversal_probability(lost, 1.0)));
  CHECK(std::isnan(mean_magnitude(lost)));
}
