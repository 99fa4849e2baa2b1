#include "core/encodings/none.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/analysis/largest.h"
#include "core/attention/head.h"

using namespace orrery;

TEST_CASE("By hand: three tokens without positions") {
  const Positions at{0, 1, 2};
  Matrix<double> q(3, 2);
  q << 1, 0, 0, 1, 1, 1;
  Matrix<double> expected(3, 3);
  expected << 1, 0, 1, 0, 1, 1, 1, 1, 2;
  const auto out = attention_from_qkv<double>(NoEncoding<double>(), {q, q, q, at, at});
  CHECK(largest_difference<double>(out.logits * std::sqrt(2.0), expected) < 1e-15);
  // Row 0: logits (a, 0, a) with a = 1/√2, so weights (e^a, 1, e^a)/(2e^a + 1).
  const double e = std::exp(1 / std::sqrt(2.0));
  CHECK(out.weights(0, 0) == Approx(e / (2 * e + 1)));
  CHECK(out.weights(0, 1) == Approx(1 / (2 * e + 1)));
  CHECK(out.output(0, 0) == Approx(2 * e / (2 * e + 1)));
}

TEST_CASE("Without positions attention is blind to where its tokens stand") {
  const Matrix<double> q = Matrix<double>::Random(4, 4);
  const Positions here{0, 1, 2, 3};
  const Positions there{9, 4, 1000, -7};
  const NoEncoding<double> none;
  CHECK(attention_from_qkv<double>(none, {q, q, q, here, here}).output ==
        attention_from_qkv<double>(none, {q, q, q, there, there}).output);
}
