#include "core/encodings/xpos.h"

#include <cmath>

#include "core/encodings/rope.h"
#include "core/random.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE("By hand: one pair of two channels, three tokens, ζ_0 = 2/7 over 512 tokens") {
  const Xpos<double> xpos({.d_head = 2});
  Matrix<double> x(3, 2);
  x << 1, 0, 1, 0, 1, 0;
  const Positions at{0, 1, 3};
  const Matrix<double> logits = logits_of<double>(xpos, x, x, at, at);
  CHECK(xpos.zeta().at(0) == Approx(2.0 / 7.0));
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) {
      const auto r =
          static_cast<double>(at[static_cast<std::size_t>(i)] - at[static_cast<std::size_t>(j)]);
      CHECK(logits(i, j) ==
            Approx(std::pow(2.0 / 7.0, r / 512) * std::cos(r) / std::sqrt(2.0)).margin(1e-15));
    }
}

TEMPLATE_TEST_CASE("xPos turns q and k as torchscale does, and attends as it does", "", float,
                   double) {
  const ModernGolden<TestType> g;
  const auto& expected = g.of("xpos");
  const Xpos<TestType> xpos(
      {.d_head = g.q.cols(), .centre = expected.at("centre").template get<Position>()});
  Matrix<TestType> q = g.q, k = g.k;
  xpos.transform_queries(g.at, q);
  xpos.transform_keys(g.at, k);
  const double tolerance = sizeof(TestType) == 8 ? 1e-14 : 1e-6;
  CHECK(largest_difference(q, matrix_of<TestType>(expected.at("turned q"))) < tolerance);
  CHECK(largest_difference(k, matrix_of<TestType>(expected.at("turned k"))) < tolerance);
  g.check(xpos, expected);
}

TEST_CASE("The centre cancels in scores, and without decay xPos is RoPE") {
  const ModernGolden<double> g;
  const auto at = [&](double scale_base, Position centre) {
    const Xpos<double> xpos({.d_head = 4, .scale_base = scale_base, .centre = centre});
    return logits_of<double>(xpos, g.q, g.k, g.at, g.at);
  };
  CHECK(largest_difference(at(512, 0), at(512, 3000)) < 1e-13);
  CHECK(largest_difference(at(512, 0), at(512, -40000)) < 1e-12);
  const Rope<double> rope({.d_head = 4});
  CHECK(largest_difference(at(1e300, 0), logits_of<double>(rope, g.q, g.k, g.at, g.at)) < 1e-14);
}

TEMPLATE_TEST_CASE("Up to the last position stated, scores are those at the origin, and finite", "",
                   float, double) {
  const Xpos<TestType> xpos({.d_head = 8});
  Random random(1, "xpos");
  const Matrix<TestType> x = normal_matrix<TestType>(random, 3, 8);
  const Positions here{0, 1, 5};
  const Position last = xpos.traits().last_position;
  const Positions there{last - 5, last - 4, last};
  const auto near = logits_of<TestType>(xpos, x, x, here, here);
  const auto far = logits_of<TestType>(xpos, x, x, there, there);
  CHECK(far.allFinite());
  CHECK(largest_difference(near, far) < (sizeof(TestType) == 8 ? 1e-12 : 1e-4));
}

TEST_CASE("Where q and k are rounded to fp16, the last position is one that fp16 holds") {
  for (const Stage stage : {Stage::cos_sin, Stage::rotated_qk}) {
    const Xpos<double> xpos({.d_head = 8, .rounding = StageRounding(Precision::fp16, {stage})});
    const Position last = xpos.traits().last_position;
    CHECK(last == 3399);  // 12 doublings of 1/ζ_0 = 3.5 over 512 tokens
    Random random(3, "q and k");
    const auto x = normal_matrix<double>(random, 2, 8);
    CHECK(logits_of<double>(xpos, x, x, {0, last}, {0, last}).allFinite());
    CHECK_THROWS_AS(logits_of<double>(xpos, x, x, {0, last + 1}, {0, last + 1}), UsageError);
  }
  CHECK(Xpos<double>({.d_head = 8, .rounding = StageRounding(Precision::bf16, {Stage::cos_sin})})
            .traits()
            .last_position > 10000);
}

TEST_CASE("xPos refuses parameters and widths that make no pairs") {
  CHECK_THROWS_WITH(Xpos<double>({.d_head = 3}), Contains("must be even"));
  CHECK_THROWS_WITH(Xpos<double>({.d_head = 4, .scale_base = 0}), Contains("xpos.scale_base=0"));
  CHECK_THROWS_WITH(Xpos<double>({.d_head = 4, .gamma = std::nan("")}), Contains("xpos.gamma"));
  Matrix<double> wide = Matrix<double>::Zero(1, 6);
  CHECK_THROWS_WITH(Xpos<double>({.d_head = 4}).transform_queries(Positions{0}, wide),
                    Contains("d_head=4"));
}

TEST_CASE("A centre so far below 0 that no token has a length is refused") {
  const CatalogueCase far{"xpos", {{"xpos.centre", "-275426433057943"}}};
  CHECK_THROWS_WITH(make_case<double>(far, 16),
                    Contains("xpos.centre=-275426433057943: lets lengths"));
  CHECK_NOTHROW(make_case<double>({"xpos", {{"xpos.centre", "-1000"}}}, 16));
}
