#include "core/encodings/grape_multiplicative.h"

#include <cmath>
#include <limits>

#include "core/encodings/rope.h"
#include "core/random.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE(
    "By hand: a = (1, 0, 0, 0), b = (1, 2, 0, 0) turn the first two channels by 2 ω a token") {
  Matrix<double> rows(2, 4), x(3, 4);
  rows << 1, 0, 0, 0, 1, 2, 0, 0;
  x << 1, 0, 0, 5, 1, 0, 0, 5, 1, 0, 0, 5;
  const GrapeMultiplicative<double> grape(rows, {.all_planes = false, .speed = 0.25});
  CHECK(grape.turning_pairs().theta.at(0) == Approx(0.5));
  const Positions at{0, 1, 3};
  grape.transform_queries(at, x);
  for (Index i = 0; i < 3; ++i) {
    const double angle = 0.5 * static_cast<double>(at[static_cast<std::size_t>(i)]);
    CHECK(x(i, 0) == Approx(std::cos(angle)));
    CHECK(x(i, 1) == Approx(std::sin(angle)).margin(1e-16));
    CHECK(x(i, 2) == 0);
    CHECK(x(i, 3) == 5);
  }
}

TEMPLATE_TEST_CASE("Multiplicative GRAPE attends as matrix exponentials do", "", float, double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("grape_multiplicative");
  const Matrix<double> rows = doubles(c.at("vectors"));
  g.check(GrapeMultiplicative<TestType>(rows, {}), c.at("all"));
  g.check(
      GrapeMultiplicative<TestType>(rows.topRows(2), {.all_planes = false, .speed = c.at("speed")}),
      c.at("one"));
}

TEST_CASE("With the unit matrix it is RoPE, at any position") {
  Random random(5, "grape");
  const Matrix<double> x = normal_matrix<double>(random, 4, 8);
  const GrapeMultiplicative<double> grape(Matrix<double>::Identity(8, 8), {.base = 500000});
  const Rope<double> rope({.d_head = 8, .base = 500000});
  for (const Position first : {Position{0}, Position{1} << 45}) {
    const Positions at{first, first + 1, first + 70, first + 8000};
    Matrix<double> a = x, b = x;
    grape.transform_queries(at, a);
    rope.transform_queries(at, b);
    CHECK(largest_difference(a, b) < 1e-14);
  }
}

TEST_CASE("It keeps lengths, and rows that span no plane are refused") {
  Random random(6, "grape");
  const Matrix<double> x = normal_matrix<double>(random, 3, 6);
  Matrix<double> turned = x;
  GrapeMultiplicative<double>(normal_matrix<double>(random, 6, 6), {})
      .transform_keys(Positions{9, 99, 999}, turned);
  for (Index i = 0; i < 3; ++i)
    CHECK(turned.row(i).norm() == Approx(x.row(i).norm()).epsilon(1e-14));
  const ParamSet params(GrapeMultiplicative<double>::info().params);
  CHECK_THROWS_WITH(
      GrapeMultiplicative<double>::check({.d_model = 1026, .d_head = 1026, .params = params}),
      Contains("at most 1024"));
  CHECK_THROWS_WITH(GrapeMultiplicative<double>(Matrix<double>::Ones(4, 4), {}),
                    Contains("linearly independent"));
  CHECK_THROWS_WITH(GrapeMultiplicative<double>(Matrix<double>::Zero(2, 4), {.all_planes = false}),
                    Contains("row 0"));
  CHECK_THROWS_WITH(GrapeMultiplicative<double>(Matrix<double>::Identity(3, 3), {}),
                    Contains("[3, 3]"));
  Matrix<double> spoilt = Matrix<double>::Identity(2, 2);
  spoilt(1, 0) = std::numeric_limits<double>::quiet_NaN();
  Matrix<double> row = Matrix<double>::Ones(1, 2);
  GrapeMultiplicative<double>(spoilt, {}).transform_queries(Positions{3}, row);
  CHECK(row.array().isNaN().any());
}

TEST_CASE("Its balanced direction has the mean over all directions, with all planes and with one") {
  constexpr Index d = 6;
  Random random(9, "grape");
  const Matrix<double> rows = normal_matrix<double>(random, d, d);
  const GrapeMultiplicative<double> all(rows, {.base = 50});
  const GrapeMultiplicative<double> one(rows.topRows(2), {.all_planes = false, .speed = 0.3});
  for (const auto* grape : {&all, &one}) {
    const Matrix<double> balanced = grape->mean_directions(d);
    REQUIRE(balanced.cols() == d);
    CHECK(balanced.norm() == Approx(1));
    for (const Position r : {0, 1, 7, 300}) {
      // tr G(r)/d, the mean of xᵀG(r)x over the unit sphere.
      Matrix<double> turned = Matrix<double>::Identity(d, d), x = balanced;
      grape->transform_queries(Positions(d, r), turned);
      grape->transform_queries(Positions{r}, x);
      CHECK(x.row(0).dot(balanced.row(0)) == Approx(turned.trace() / d).margin(1e-13));
    }
  }
  CHECK(all.mean_directions(d + 2).rows() == d + 2);
}
