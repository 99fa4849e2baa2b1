#include "core/encodings/fox.h"

#include <cmath>
#include <limits>

#include "core/encodings/alibi.h"
#include "core/random.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

ForgetGates gates(const std::vector<double>& weight, double bias) {
  ForgetGates g{Matrix<double>(1, static_cast<Index>(weight.size())), Matrix<double>(1, 1)};
  for (std::size_t c = 0; c < weight.size(); ++c) g.weight(0, static_cast<Index>(c)) = weight[c];
  g.bias(0, 0) = bias;
  return g;
}

}  // namespace

TEST_CASE("By hand: gates 1/2, 3/4 and 1/5 of three keys are multiplied between query and key") {
  Matrix<double> k(3, 1);
  k << 0, std::log(3.0), -std::log(4.0);  // σ⁻¹ of the gates
  const Positions at{0, 1, 5};
  const Matrix<double> zero = Matrix<double>::Zero(3, 1);
  const Matrix<double> found = logits_of<double>(Fox<double>(gates({1}, 0)), zero, k, at, at);
  const double second = std::log(.75), third = std::log(.2);
  Matrix<double> expected(3, 3);
  expected << 0, second, second + third, second, 0, third, second + third, third, 0;
  CHECK(largest_difference(found, expected) < 1e-15);
}

TEMPLATE_TEST_CASE("FoX attends as loops and fla's reference do", "", float, double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("fox");
  g.check(Fox<TestType>({doubles(c.at("weight")), doubles(c.at("bias"))}), c);
}

TEST_CASE("Where no gate reads content it is ALiBi with the slope −ln σ(b), exactly") {
  const double slope = alibi_slopes(1)[0];
  const double bias = -std::log(std::expm1(slope));  // ln σ(b) = −slope
  const Positions at = consecutive_positions(9, 100);
  Random random(2, "fox");
  const Matrix<double> x = normal_matrix<double>(random, 9, 4);
  const auto of = [&](const Encoding& encoding) {
    return logits_of<double>(encoding, x, x, at, at);
  };
  CHECK(largest_difference(of(Fox<double>(gates({0, 0, 0, 0}, bias))), of(Alibi<double>(1))) <
        1e-14);
}

TEST_CASE("Keys count by their positions, whatever their order, and those outside do not count") {
  Random random(4, "fox keys");
  const Fox<double> fox(gates({.3, -1, 2}, .5));
  const Matrix<double> q = normal_matrix<double>(random, 1, 3),
                       k = normal_matrix<double>(random, 5, 3);
  const Positions n{7, 2, 9, 4, 30};
  const Matrix<double> whole = logits_of<double>(fox, q, k, {9}, n);
  const Matrix<double> without = logits_of<double>(fox, q, k.topRows(4), {9}, {7, 2, 9, 4});
  CHECK(largest_difference(whole.leftCols(4), without) < 1e-15);
  Matrix<double> other = k;
  other.row(0).setConstant(9);  // at 7: between 9 and 4, but not between 9 and 9
  const Matrix<double> changed = logits_of<double>(fox, q, other, {9}, n);
  CHECK(changed(0, 2) == whole(0, 2));
  CHECK(std::abs(changed(0, 3) - whole(0, 3)) > 1e-3);
}

TEST_CASE("Gates of any size give finite sums, and a NaN shows where it is met") {
  const Positions at{0, 1, 2};
  Matrix<double> k(3, 1);
  k << 1e300, -1e300, 1e300;
  const Matrix<double> zero = Matrix<double>::Zero(3, 1);
  const Matrix<double> found = logits_of<double>(Fox<double>(gates({1}, 0)), zero, k, at, at);
  CHECK(found.allFinite());
  CHECK(found(2, 0) == Approx(-1e300));
  k(1, 0) = std::numeric_limits<double>::quiet_NaN();
  const Matrix<double> spoilt =
      logits_of<double>(Fox<double>(gates({1}, 0)), Matrix<double>::Zero(3, 1), k, at, at);
  CHECK(std::isnan(spoilt(1, 0)));
  CHECK(std::isnan(spoilt(2, 0)));
  CHECK(spoilt(0, 0) == 0);
}

TEST_CASE("Gates of another head or width are refused") {
  CHECK_THROWS_WITH(Fox<double>({Matrix<double>::Zero(2, 3), Matrix<double>::Zero(1, 3)}),
                    Contains("weight [2, 3] and bias [1, 3]"));
  const Matrix<double> x = Matrix<double>::Zero(1, 2);
  CHECK_THROWS_WITH(logits_of<double>(Fox<double>(gates({1}, 0)), x, x, {0}, {0}),
                    Contains("d_head=1"));
  CHECK_THROWS_WITH(logits_of<double>(Fox<double>(gates({1, 1}, 0)), x, x, {0}, {0}, 1),
                    Contains("head"));
}
