#include "core/encodings/pope.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/analysis/mean_logits.h"
#include "core/random.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE("By hand: one channel, lengths ln 2, ln 4 and ln 8, angles 1 rad per token") {
  Matrix<double> x(3, 1);
  x << 0, std::log(3.0), std::log(7.0);  // softplus⁻¹ of the lengths
  const Positions at{0, 1, 3};
  const Pope<double> pope(10000, Matrix<double>::Zero(1, 1));
  const Matrix<double> found = logits_of<double>(pope, x, x, at, at);
  const double unit = std::numbers::ln2 * std::numbers::ln2;
  const std::vector<double> length{1, 2, 3};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      CHECK(found(static_cast<Index>(i), static_cast<Index>(j)) ==
            Approx(unit * length[i] * length[j] * std::cos(static_cast<double>(at[i] - at[j]))));
}

TEMPLATE_TEST_CASE("PoPE attends as loops and x-transformers' do", "", float, double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("pope");
  g.check(Pope<TestType>(10000, doubles(c.at("phases"))), c);
}

TEST_CASE("A phase moves the peak: of one channel to the distance of that angle") {
  const Pope<double> pope(10000, Matrix<double>::Constant(1, 1, -2.0));  // θ_0 = 1
  const Matrix<double> x = Matrix<double>::Zero(1, 1);
  const auto at = [&](Position r) { return logits_of<double>(pope, x, x, {0}, {r})(0, 0); };
  CHECK(at(2) == Approx(std::numbers::ln2 * std::numbers::ln2));
  CHECK(at(2) > at(1));
  CHECK(at(2) > at(3));
  const double most = 2 * std::numbers::pi;  // phases end there
  const Pope<double> beyond(10000, Matrix<double>::Constant(1, 1, -most - 1)),
      end(10000, Matrix<double>::Constant(1, 1, -most));
  CHECK(logits_of<double>(beyond, x, x, {5}, {0}) == logits_of<double>(end, x, x, {5}, {0}));
}

TEST_CASE(
    "The sizes of what it adds up are the lengths by hand: ln 2 where x is 0, in both halves") {
  const Matrix<double> x = (Matrix<double>(1, 3) << 0, std::log(3.0), -800).finished();
  const Matrix<double> sizes = Pope<double>(10000, Matrix<double>::Zero(1, 3)).product_sizes(x);
  REQUIRE(sizes.cols() == 6);
  for (const Index half : {0, 3}) {
    CHECK(sizes(0, half) == Approx(std::log(2.0)));
    CHECK(sizes(0, half + 1) == Approx(std::log(4.0)));      // softplus(ln 3) = ln 4
    CHECK(sizes(0, half + 2) == Approx(2 * std::log(2.0)));  // |0 − ln 2| + ln 2
  }
}

TEST_CASE("Each named term vanishes with the content that it reads") {
  Random random(3, "pope");
  const Matrix<double> x = normal_matrix<double>(random, 2, 4), none = Matrix<double>::Zero(2, 4);
  const Pope<double> pope(10000, Matrix<double>::Zero(1, 4));
  const Positions at{0, 5};
  const auto zero = [&](const Matrix<double>& q, const Matrix<double>& k) {
    std::string names;
    for (const auto& term : pope.score_terms({q, k, at, at}))
      if (term.logits.isZero(0)) names += std::string(term.name) + " ";
    return names;
  };
  CHECK(zero(x, x).empty());
  CHECK(zero(none, x) == "content content_to_position ");
  CHECK(zero(x, none) == "content position_to_content ");
  CHECK(zero(none, none) == "content content_to_position position_to_content ");
}

TEST_CASE("Large contents give finite lengths, and NaN stays NaN; other widths are refused") {
  Matrix<double> x = Matrix<double>::Constant(1, 2, 800);
  const Pope<double> pope(10000, Matrix<double>::Zero(1, 2));
  CHECK(logits_of<double>(pope, x, x, {1}, {1})(0, 0) == Approx(800.0 * 800 * std::sqrt(2.0)));
  x(0, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(logits_of<double>(pope, x, x, {1}, {1})(0, 0)));
  const Matrix<double> wide = Matrix<double>::Zero(1, 3);
  CHECK_THROWS_WITH(logits_of<double>(pope, wide, wide, {0}, {0}), Contains("d_head=2"));
  CHECK_THROWS_WITH(Pope<double>(1, Matrix<double>::Zero(1, 2)), Contains("base=1"));
}

TEST_CASE("Its mean logit falls as the mean of its cosines does, along any even set of contents") {
  constexpr Index d = 8;
  const Pope<double> pope(100, Matrix<double>::Zero(1, d));
  const Positions far{0, 1, 5, 40};
  const MeanLogits mean = mean_logits(pope, d, 3.0, far, 0);
  for (std::size_t i = 0; i < far.size(); ++i) {
    double cosines = 0;
    for (Index c = 0; c < d; ++c)
      cosines += std::cos(static_cast<double>(far[i]) *
                          std::pow(100.0, -static_cast<double>(c) / static_cast<double>(d)));
    CHECK(mean.total[i] / mean.total[0] == Approx(cosines / d).margin(1e-13));
  }
}
