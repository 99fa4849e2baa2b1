#include "core/encodings/transformer_xl.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "core/analysis/diagonals.h"
#include "core/attention/multi_head.h"
#include "core/random.h"
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

TEST_CASE("What does not depend on the query is the same for every query, to the bit") {
  constexpr Index d = 64;
  Random random(3, "transformer_xl_test");
  const TransformerXl<double> xl(
      {normal_matrix<double>(random, 1, d), normal_matrix<double>(random, 1, d),
       normal_matrix<double>(random, d, d)},
      10000.0);
  for (const Index n : {5, 77, 83}) {
    const Matrix<double> x = normal_matrix<double>(random, n, d);
    const Positions at = consecutive_positions(n, 602585654283);
    const auto terms = xl.score_terms({x, x, at, at, 0});
    CHECK((terms[2].logits.rowwise() - terms[2].logits.row(0)).isZero(0));
    CHECK(toeplitz_residual<double>(terms[3].logits, at, at) == 0.0);
  }
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

TEST_CASE("By hand: with clamp_len 1 a token two away counts as one, on either side") {
  const TransformerXl<double> clamped({matrix(1, 1, {0}), matrix(1, 1, {0}), matrix(2, 1, {1, 0})},
                                      10000.0, {}, 1);
  const auto out = three_tokens(clamped, matrix(1, 1, {1}), matrix(1, 1, {0}), matrix(1, 1, {1}));
  CHECK(near(out.logits, by_distance([](double r) { return std::sin(std::clamp(r, -1.0, 1.0)); })));
  CHECK_THROWS_WITH(TransformerXl<double>(
                        {matrix(1, 1, {0}), matrix(1, 1, {0}), matrix(2, 1, {1, 0})}, 1e4, {}, -1),
                    Catch::Matchers::Contains("clamp_len=-1"));
}

namespace {

/// s = 10, g = 1 for the same segment and 100 for another; nothing else.
TransformerXl<double> with_segments() {
  const Matrix<double> zero = matrix(1, 1, {0});
  return TransformerXl<double>(
      {zero, zero, matrix(2, 1, {0, 0}), matrix(1, 1, {10}), matrix(2, 1, {1, 100})}, 10000.0);
}

AttentionOutput<double> of_segments(const Encoding& encoding, std::vector<std::int32_t> queries,
                                    std::vector<std::int32_t> keys) {
  const Positions at{0, 1, 2};
  const Matrix<double> q = Matrix<double>::Constant(3, 1, 2), k = Matrix<double>::Zero(3, 1);
  return attention_from_qkv<double>(encoding, {q, k, k, at, at, 0, {queries, keys}});
}

}  // namespace

TEST_CASE("By hand: segments 7, 7, 9, q = 2, s = 10: 12 within a segment, 1200 across") {
  const auto out = of_segments(with_segments(), {7, 7, 9}, {7, 7, 9});
  CHECK(out.terms.back().name == "segment");
  CHECK(near(out.terms.back().logits, matrix(3, 3, {12, 12, 1200, 12, 12, 1200, 1200, 1200, 12})));
  CHECK(near(out.logits, out.terms.back().logits));
  CHECK(of_segments(with_segments(), {}, {}).terms.size() == 4);
}

TEST_CASE("Segments are one per token, and go to an encoding that reads them") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(of_segments(with_segments(), {7, 7}, {7, 7, 9}),
                    Contains("segments of 2 queries and 3 keys"));
  CHECK_THROWS_WITH(of_segments(with_segments(), {7, 7, 9}, {}),
                    Contains("segments of 3 queries and 0 keys"));
  CHECK_THROWS_WITH(of_segments(small(0, 0, 1, 0), {7, 7, 9}, {7, 7, 9}),
                    Contains("segments of tokens"));
  const Matrix<double> zero = matrix(1, 1, {0});
  CHECK_THROWS_WITH(TransformerXl<double>({zero, zero, matrix(2, 1, {0, 0}), zero, zero}, 1e4),
                    Contains("[2, heads·d_head]"));
}

TEST_CASE("Segments reach the term from contents and through a layer of heads alike") {
  const auto xl = with_segments();
  const std::vector<std::int32_t> ids{7, 7, 9};
  const Positions at{0, 1, 2};
  const Matrix<double> x = matrix(3, 1, {1, -2, 3}), one = matrix(1, 1, {1});
  const Matrix<double> zero = matrix(1, 1, {0});
  const Projections<double> w{one, zero, one};
  const auto head = attention_head<double>(xl, w, {x, x, at, at, 0, {ids, ids}});
  const LayerProjections<double> layer{one, zero, one, {1, 1}};
  const auto heads = multi_head_attention<double>(xl, layer, {x, x, at, at, 0, {ids, ids}});
  const Matrix<double> expected = matrix(3, 3, {11, 11, 1100, 8, 8, 800, 1300, 1300, 13});
  CHECK(near(head.logits, expected));
  CHECK(near(heads.front().logits, expected));
  const auto projected_heads = multi_head_attention<double>(
      xl, LayerInputs<double>{{x}, {Matrix<double>::Zero(3, 1)}, {x}, at, at, 0, {ids, ids}});
  CHECK(near(projected_heads.front().logits, expected));
  CHECK_THROWS_WITH(
      multi_head_linear_attention<double>(
          {}, EluPlusOne<double>(), LayerInputs<double>{{x}, {x}, {x}, at, at, 0, {ids, ids}}),
      Catch::Matchers::Contains("segments of tokens with linear attention"));
}
