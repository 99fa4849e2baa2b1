#include "core/encodings/sandwich.h"

#include <cmath>
#include <limits>

#include "core/encodings/sinusoidal.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Matrix<double> bias(const SandwichConfig& config, const Positions& at, int head = 0) {
  const Matrix<double> zero = Matrix<double>::Zero(static_cast<Index>(at.size()), 2);
  return logits_of<double>(Sandwich<double>(config), zero, zero, at, at, head);
}

}  // namespace

TEST_CASE("By hand: three tokens, one sinusoid, cos(m − n)/8 for one head") {
  const Matrix<double> found = bias({.channels = 2, .heads = 1}, {0, 1, 3});
  Matrix<double> expected(3, 3);
  const double one = std::cos(1.0) / 8, two = std::cos(2.0) / 8, three = std::cos(3.0) / 8;
  expected << .125, one, three, one, .125, two, three, two, .125;
  CHECK(largest_difference(found, expected) < 1e-16);
}

TEMPLATE_TEST_CASE("Attention with Sandwich equals NumPy's products of sinusoids", "", float,
                   double) {
  const ModernGolden<TestType> g;
  const auto& expected = g.of("sandwich");
  const Sandwich<TestType> sandwich(
      {.channels = expected.at("channels").template get<Index>(), .heads = g.heads});
  g.check(sandwich, expected);
  CHECK(g.attend(sandwich).terms.at(1).name == "sinusoid_bias");
}

TEST_CASE("The bias is the product of sinusoidal vectors, over the compression of its head") {
  const Positions at{0, 3, 700, 12345};
  const Matrix<double> p = Sinusoidal<double>(64).table(at);
  for (const int head : {0, 3, 7})
    CHECK(largest_difference(bias({.channels = 64, .heads = 8}, at, head),
                             (p * p.transpose() / (head + 1)).eval()) < 1e-12);
}

TEST_CASE("Far positions give finite biases, largest at distance 0, and NaN a format's overflow") {
  const Position far = Position{1} << 53;
  const Matrix<double> map = bias({.channels = 128, .heads = 4}, {-far, 0, far}, 1);
  CHECK(map.allFinite());
  CHECK((map.array() <= map(0, 0)).all());
  CHECK(map(0, 0) == Approx(128.0 / 2 / 4));
  const Matrix<double> zero = Matrix<double>::Zero(2, 2);
  const Sandwich<double> fp16({.heads = 1}, StageRounding(Precision::fp16, {Stage::position}));
  CHECK(std::isnan(logits_of<double>(fp16, zero, zero, {0, 70000}, {0, 70000})(1, 1)));
}

TEST_CASE("Sandwich refuses heads and channels that it does not have") {
  CHECK_THROWS_WITH(Sandwich<double>({.channels = 3}), Contains("must be even"));
  CHECK_THROWS_WITH(Sandwich<double>({.heads = 0}), Contains("heads=0"));
  CHECK_THROWS_WITH(bias({.heads = 2}, {0}, 2), Contains("head"));
}
