#include "core/encodings/path.h"

#include <cmath>
#include <limits>

#include "core/random.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

PathTables tables(Index d, double bias) {
  return {Matrix<double>::Identity(d, d), Matrix<double>::Zero(1, d),
          Matrix<double>::Constant(1, 1, bias)};
}

}  // namespace

TEST_CASE("By hand: with β = 1 each token between projects its own direction away") {
  Matrix<double> k(3, 2), q(3, 2);
  k << 1, 0, 0, 2, 3, 4;
  q << 1, 0, 1, 1, 5, 10;
  const Positions at{0, 1, 2};
  const Path<double> path(tables(2, 0));
  const Matrix<double> found = std::sqrt(2.0) * logits_of<double>(path, q, k, at, at);
  // Query 2: across (3, 4)/5, (5, 10) leaves (5, 10) − 11 (0.6, 0.8) = (−1.6, 1.2); then its second
  // channel goes.
  CHECK(found(2, 2) == Approx(55));
  CHECK(found(2, 1) == Approx(2.4));
  CHECK(found(2, 0) == Approx(-1.6));
  CHECK(found(1, 1) == Approx(2));
  CHECK(found(1, 0) == Approx(1));
}

TEMPLATE_TEST_CASE("PaTH attends as products of matrices and fla's reference do", "", float,
                   double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("path");
  g.check(
      Path<TestType>({doubles(c.at("direction")), doubles(c.at("gate")), doubles(c.at("bias"))}),
      c);
}

TEST_CASE("With β = 0 it is plain attention, with β = 2 no length changes") {
  Random random(6, "path");
  const Matrix<double> q = normal_matrix<double>(random, 1, 4),
                       k = normal_matrix<double>(random, 9, 4);
  const Positions n = consecutive_positions(9);
  const Matrix<double> plain = q * k.transpose() / 2;
  CHECK(largest_difference(logits_of<double>(Path<double>(tables(4, -800)), q, k, {8}, n), plain) <
        1e-14);
  // Reflections of four tokens; the unit vectors at 0 then read the channels of what is left.
  Matrix<double> keys(8, 4);
  keys << k.topRows(4), Matrix<double>::Identity(4, 4);
  const Positions at{5, 6, 7, 8, 0, 0, 0, 0};
  const Matrix<double> found = logits_of<double>(Path<double>(tables(4, 800)), q, keys, {8}, at);
  CHECK(2 * found.rightCols(4).norm() == Approx(q.norm()).epsilon(1e-14));
  CHECK(largest_difference((2 * found.rightCols(4)).eval(), q) > 0.1);
}

TEST_CASE("A key without a direction changes nothing; a NaN shows beyond its token") {
  Matrix<double> q = Matrix<double>::Ones(1, 2), k(3, 2);
  k << 1, 2, 0, 0, 0, 0;
  const Path<double> path(tables(2, 1));
  CHECK(logits_of<double>(path, q, k, {2}, {0, 1, 2})(0, 0) == Approx(3 / std::sqrt(2.0)));
  k(1, 0) = std::numeric_limits<double>::quiet_NaN();
  const Matrix<double> found = logits_of<double>(path, q, k, {2}, {0, 1, 2});
  CHECK(std::isnan(found(0, 0)));
  CHECK(std::isnan(found(0, 1)));
  CHECK(found(0, 2) == 0);
}

TEST_CASE("By hand: a convolution of two tokens in the order of positions, with SiLU") {
  PathTables with_taps = tables(2, 0);  // W = I, β = 1 with gates of 0
  with_taps.convolution.resize(2, 2);
  with_taps.convolution << 1, 1, 2, 0;
  Matrix<double> q(1, 2), k(2, 2);
  q << 1, 0;
  k << 0, 3,  // position 4, after the next
      1, 0;   // position 2
  // Token 4 gets silu((0, 3) + (2, 0)·(1, 0)) = (2σ(2), 3σ(3)), and projects that direction away.
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  const double a = silu(2), b = silu(3);
  const Matrix<double> found = logits_of<double>(Path<double>(with_taps), q, k, {4}, {4, 2});
  CHECK(std::sqrt(2.0) * found(0, 1) == Approx(1 - a * a / (a * a + b * b)));
  CHECK(found(0, 0) == 0);
}

TEST_CASE("Gates of the layer's input are refused where it is not known, or of another shape") {
  const Matrix<double> one = Matrix<double>::Ones(2, 2);
  PathTables of_input{.direction = Matrix<double>::Ones(2, 3),
                      .gate = Matrix<double>::Ones(1, 3),
                      .bias = Matrix<double>::Zero(1, 1),
                      .source = GateSource::input};
  const Path<double> path(of_input);
  CHECK_THROWS_WITH(logits_of<double>(path, one, one, {0, 1}, {0, 1}), Contains("need x"));
  const Positions at{0, 1};
  const auto with_x = [&](const Matrix<double>& x) {
    return attention_from_qkv<double>(path, {one, one, one, at, at, 0, {}, &x}).logits;
  };
  CHECK(with_x(Matrix<double>::Ones(2, 3)).allFinite());
  CHECK_THROWS_WITH(with_x(Matrix<double>::Ones(2, 4)), Contains("d_model=3"));
  CHECK_THROWS_WITH(with_x(Matrix<double>::Ones(3, 3)), Contains("each of the 2 keys"));
  of_input.convolution = Matrix<double>::Ones(3, 4);
  CHECK_THROWS_WITH(Path<double>(of_input), Contains("must have 2 columns"));
}

TEST_CASE("PaTH's tables that do not fit are refused") {
  PathTables wrong = tables(2, 0);
  wrong.gate = Matrix<double>::Zero(1, 3);
  CHECK_THROWS_WITH(Path<double>(wrong), Contains("gate [1, 3]"));
  const Matrix<double> x = Matrix<double>::Zero(1, 3);
  CHECK_THROWS_WITH(logits_of<double>(Path<double>(tables(2, 0)), x, x, {0}, {0}),
                    Contains("d_head=2"));
}
