#include "core/encodings/deberta.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// Span 2: rows for r ≤ −2, −1, 0, ≥ 1 hold 1, 2, 3, 4; K^r is the row, Q^r ten times it.
AttentionOutput<double> attend(double q, double k, DebertaIndex index) {
  const Deberta<double> deberta(
      {matrix(4, 1, {1, 2, 3, 4}), matrix(1, 1, {10}), matrix(1, 1, {1}), 1},
      {.span = 2, .index = index});
  return three_tokens(deberta, matrix(1, 1, {q}), matrix(1, 1, {k}), matrix(1, 1, {0}));
}

const double root3 = std::sqrt(3.0);

}  // namespace

TEST_CASE("DeBERTa's δ and v2's buckets equal the reference") {
  const auto reference = golden("formulas.json").at("deberta");
  const auto& delta = reference.at("row delta(r), k=4, r = -6 ... 6");
  for (Position r = -6; r <= 6; ++r)
    CHECK(deberta_delta(r, 4) == delta.at(static_cast<std::size_t>(r + 6)).get<Index>());
  for (const auto& [r, bucket] :
       reference.at("v2 bucket by distance, 256 buckets to 512").items()) {
    CHECK(deberta_bucket(std::stol(r), 256, 512) == bucket.get<Position>());
    CHECK(deberta_bucket(-std::stol(r), 256, 512) == -bucket.get<Position>());
  }
}

TEST_CASE("By hand: content to position looks up δ(m − n), over √(3d)") {
  const auto out = attend(1, 0, DebertaIndex::paper);
  CHECK(near(out.logits * root3, matrix(3, 3, {3, 2, 1, 4, 3, 2, 4, 4, 3})));
}

TEST_CASE("By hand: position to content looks up δ(n − m) in the paper, δ(m − n) in the codes") {
  const auto paper = attend(0, 1, DebertaIndex::paper);
  CHECK(near(paper.logits * root3, matrix(3, 3, {30, 40, 40, 20, 30, 40, 10, 20, 30})));
  const auto code = attend(0, 1, DebertaIndex::code);
  CHECK(near(code.logits * root3, matrix(3, 3, {30, 20, 10, 40, 30, 20, 40, 40, 30})));
}

TEST_CASE("By hand: biases of the position projections move K^r by 100 and Q^r by 1000") {
  Deberta<double>::Weights weights{matrix(4, 1, {1, 2, 3, 4}), matrix(1, 1, {10}),
                                   matrix(1, 1, {1}), 1};
  weights.b_kr = matrix(1, 1, {100});
  weights.b_qr = matrix(1, 1, {1000});
  const Deberta<double> deberta(weights, {.span = 2});
  const auto one = matrix(1, 1, {1}), zero = matrix(1, 1, {0});
  const Matrix<double> c2p = three_tokens(deberta, one, zero, zero).logits * root3;
  const Matrix<double> p2c = three_tokens(deberta, zero, one, zero).logits * root3;
  CHECK(near(c2p / 1000, matrix(3, 3, {103, 102, 101, 104, 103, 102, 104, 104, 103}) / 1000));
  CHECK(near(p2c / 1000,
             matrix(3, 3, {1030, 1040, 1040, 1020, 1030, 1040, 1010, 1020, 1030}) / 1000));
  weights.b_qr = matrix(1, 2, {1, 2});
  CHECK_THROWS_WITH(Deberta<double>(weights, {.span = 2}), Contains("must be [1, 1]"));
}

TEST_CASE("By hand: a normalised table (±1 to 1e-7) times gain 2, plus bias 3, is 5 and 1") {
  Deberta<double>::Weights weights{matrix(2, 2, {1, -1, -4, 4}), matrix(2, 1, {0, 0}),
                                   matrix(2, 1, {1, 0}), 1};
  weights.norm_gain = matrix(1, 2, {2, 2});
  weights.norm_bias = matrix(1, 2, {3, 3});
  const Deberta<double> deberta(weights, {.span = 1, .layer_norm = true});
  const auto out = three_tokens(deberta, matrix(1, 1, {1}), matrix(1, 1, {0}), matrix(1, 1, {0}));
  const double near_5 = 3 + 2 / std::sqrt(1 + 1e-7), near_1 = 3 - 2 / std::sqrt(1 + 1e-7 / 16);
  const double a = near_5, b = near_1;  // row 0 for keys ahead, row 1 here and behind
  CHECK(near(out.logits * root3, matrix(3, 3, {b, a, a, b, b, a, b, b, b})));
  weights.norm_gain = {};
  CHECK_THROWS_WITH(Deberta<double>(weights, {.span = 1, .layer_norm = true}),
                    Contains("both must be [1, 2]"));
}

TEST_CASE("DeBERTa refuses what does not fit together") {
  CHECK_THROWS_WITH(Deberta<double>({}, {}), Contains("[2·span, d_model]"));
  const Matrix<double> one = matrix(1, 1, {1});
  CHECK_THROWS_WITH(
      Deberta<double>({Matrix<double>::Zero(4, 1), one, one, 1}, {.span = 2, .log_buckets = true}),
      Contains("logarithmic buckets need 4 a side or more"));
}
