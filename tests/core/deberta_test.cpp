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

TEST_CASE("DeBERTa refuses what does not fit together") {
  CHECK_THROWS_WITH(Deberta<double>({}, {}), Contains("[2·span, d_model]"));
  const Matrix<double> one = matrix(1, 1, {1});
  CHECK_THROWS_WITH(
      Deberta<double>({Matrix<double>::Zero(4, 1), one, one, 1}, {.span = 2, .log_buckets = true}),
      Contains("log buckets need 4 or more"));
}
