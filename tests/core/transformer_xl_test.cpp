#include "core/encodings/transformer_xl.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// One head of one channel; r_D = a·sin D + b·cos D for W_kR = (a, b).
TransformerXl<double> small(double u, double v, double a, double b) {
  return TransformerXl<double>({matrix(1, 1, {u}), matrix(1, 1, {v}), matrix(2, 1, {a, b})},
                               10000.0);
}

Matrix<double> by_distance(double (*f)(double)) {
  Matrix<double> m(3, 3);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) m(i, j) = f(static_cast<double>(i - j));
  return m;
}

}  // namespace

TEST_CASE("By hand: with r_D = sin D the sign of D = m − n shows: keys ahead have −sin") {
  const auto out =
      three_tokens(small(0, 0, 1, 0), matrix(1, 1, {1}), matrix(1, 1, {0}), matrix(1, 1, {1}));
  CHECK(near(out.logits, by_distance([](double r) { return std::sin(r); })));
}

TEST_CASE("By hand: q = 2, k = 3, u = 5, v = 7, r_D = cos D gives 6 + 2 cos + 15 + 7 cos") {
  const auto out =
      three_tokens(small(5, 7, 0, 1), matrix(1, 1, {2}), matrix(1, 1, {3}), matrix(1, 1, {1}));
  CHECK(near(out.logits, by_distance([](double r) { return 21 + 9 * std::cos(r); })));
  CHECK(near(out.terms[0].logits, Matrix<double>::Constant(3, 3, 6)));
  CHECK(near(out.terms[2].logits, Matrix<double>::Constant(3, 3, 15)));
  CHECK(near(out.terms[3].logits, by_distance([](double r) { return 7 * std::cos(r); })));
}

TEST_CASE("Memory is keys at earlier positions: a query after them sees the same as in one piece") {
  const auto xl = small(0.5, -0.25, 0.75, 0.5);
  const Matrix<double> q = matrix(4, 1, {1, 2, 3, 4});
  const Positions at{0, 1, 2, 3};
  const auto whole = attention_from_qkv<double>(xl, {q, q, q, at, at});
  const Positions last{2, 3};
  const Matrix<double> tail = q.bottomRows(2);
  const auto part = attention_from_qkv<double>(xl, {tail, q, q, last, at});
  CHECK(near(part.logits, whole.logits.bottomRows(2)));
}

TEST_CASE(
    "Transformer-XL refuses weights that are not of one layer, and a head that is not there") {
  using Catch::Matchers::Contains;
  const Matrix<double> one = matrix(1, 1, {1});
  CHECK_THROWS_WITH(TransformerXl<double>({one, one, matrix(2, 2, {1, 2, 3, 4})}, 1e4),
                    Contains("[d_model, heads·d_head]"));
  CHECK_THROWS_WITH(TransformerXl<double>({one, one, matrix(3, 1, {1, 2, 3})}, 1e4),
                    Contains("must be even"));
  CHECK_THROWS_WITH(three_tokens(small(0, 0, 1, 0), one, one, one, 1), Contains("head=1"));
}

TEST_CASE("By hand: as RoFormer prints it, u = (1, 2) behind W_q = (3, 5) is the query 13") {
  const auto printed = TransformerXl<double>::behind_W_q(
      {matrix(1, 2, {1, 2}), matrix(1, 2, {0, 1}), matrix(2, 1, {0, 1})}, matrix(2, 1, {3, 5}));
  const auto out = three_tokens(TransformerXl<double>(printed, 10000.0), matrix(1, 1, {0}),
                                matrix(1, 1, {2}), matrix(1, 1, {1}));
  CHECK(near(out.terms[2].logits, Matrix<double>::Constant(3, 3, 26)));
  CHECK(near(out.terms[3].logits, by_distance([](double r) { return 5 * std::cos(r); })));
  CHECK_THROWS_WITH(TransformerXl<double>::behind_W_q({}, matrix(1, 1, {1})),
                    Catch::Matchers::Contains("[heads, d_model] twice"));
}
