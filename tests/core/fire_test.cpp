#include "core/encodings/fire.h"

#include <cmath>
#include <limits>

#include "core/random.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

FireNetwork drawn_network(int heads) {
  Random random(7, "fire");
  return {normal_matrix<double>(random, 1, 32), normal_matrix<double>(random, 1, 32),
          normal_matrix<double>(random, 32, heads), normal_matrix<double>(random, 1, heads)};
}

Matrix<double> biases(const Fire<double>& fire, const Positions& m, const Positions& n) {
  const Matrix<double> q = Matrix<double>::Zero(static_cast<Index>(m.size()), 2);
  const Matrix<double> k = Matrix<double>::Zero(static_cast<Index>(n.size()), 2);
  return logits_of<double>(fire, q, k, m, n);
}

}  // namespace

TEST_CASE("By hand: f(x) = 3 max(0, x − 1/2) + 1 of ln(1 + |m − n|)/ln(1 + max(m, 3))") {
  const Matrix<double> one = Matrix<double>::Ones(1, 1);
  const Fire<double> fire({.c = 1, .threshold = 3}, {one, -0.5 * one, 3 * one, one});
  const Matrix<double> found = biases(fire, {0, 1, 7}, {0, 1, 7});
  const auto f = [](double r, double m) {
    const double hidden = std::log(1 + r) / (std::log(1 + m) + 1e-6) - 0.5;
    return hidden > 0 ? 3 * hidden + 1 : 1;
  };
  Matrix<double> expected(3, 3);
  expected << 1, f(1, 3), f(7, 3), f(1, 3), 1, f(6, 3), f(7, 7), f(6, 7), 1;
  CHECK(largest_difference(found, expected) < 1e-15);
  CHECK(f(1, 3) == Approx(1).margin(1e-4));  // a quarter of four: just below the kink
}

TEMPLATE_TEST_CASE("Attention with FIRE equals that with PyTorch's layers", "", float, double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("fire");
  const Fire<TestType> fire(
      {.c = c.at("c"), .threshold = c.at("threshold")},
      {doubles(c.at("w1")), doubles(c.at("b1")), doubles(c.at("w2")), doubles(c.at("b2"))});
  g.check(fire, c);
  CHECK(g.attend(fire).terms.at(1).name == "network_bias");
}

TEST_CASE("Up to the threshold the bias is a function of m − n; beyond, of m too") {
  const Fire<double> fire({.threshold = 100}, drawn_network(1));
  const Matrix<double> here = biases(fire, {1, 5, 9}, {0, 2, 8});
  CHECK(biases(fire, {91, 95, 99}, {90, 92, 98}) == here);
  CHECK(largest_difference(biases(fire, {991, 995, 999}, {990, 992, 998}), here) > 1e-3);
  CHECK_FALSE(fire.traits().relative);
}

TEST_CASE("A key at the origin has the same bias however far: progressive interpolation") {
  const Fire<double> fire({.threshold = 10}, drawn_network(1));
  for (const Position m : {Position{1000}, Position{1} << 40, Position{1} << 53})
    CHECK(biases(fire, {m}, {0})(0, 0) ==
          Approx(biases(fire, {Position{1} << 30}, {0})(0, 0)).margin(1e-5));
}

TEST_CASE("FIRE refuses networks and parameters that do not fit, and lets NaN show") {
  CHECK_THROWS_WITH(Fire<double>({.c = 0}, drawn_network(1)), Contains("fire.c=0"));
  CHECK_THROWS_WITH(Fire<double>({.threshold = 0.5}, drawn_network(1)),
                    Contains("fire.threshold=0.5"));
  FireNetwork wrong = drawn_network(2);
  wrong.b2 = Matrix<double>::Zero(1, 3);
  CHECK_THROWS_WITH(Fire<double>({}, wrong), Contains("b2 [1, 3]"));
  FireNetwork spoilt = drawn_network(1);
  spoilt.w1(0, 5) = std::numeric_limits<double>::quiet_NaN();
  CHECK(biases(Fire<double>({}, spoilt), {0, 7}, {0, 7}).array().isNaN().all());
}
