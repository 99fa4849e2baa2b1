// What a row of a map may have beside its products: a factor, what a mask adds, no key at all, a NaN.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/attention/head.h"
#include "core/encodings/none.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/verify/cases.h"
#include "tests/verify/agreement.h"

using namespace orrery;
using test::check_agreement;

namespace {
namespace in_rows {

constexpr Index d = 8, d_v = 5;

TEMPLATE_TEST_CASE("Added positions with a factor of each query and a mask make four products", "",
                   float, double) {
  constexpr Index d_model = 12, tokens = 10;
  Random random(test::drawn_seed(), "a factor and a mask");
  const Positions at = consecutive_positions(tokens, 30);
  const Matrix<TestType> x = normal_matrix<TestType>(random, tokens, d_model);
  const Projections<TestType> w{weights<TestType>(random, d_model, d),
                                weights<TestType>(random, d_model, d),
                                weights<TestType>(random, d_model, d)};
  const Matrix<double> added = wide(normal_matrix<TestType>(random, tokens, tokens));
  Scoring scoring;
  scoring.rule = {.kind = LogitRuleKind::mistral, .strength = 0.5, .length = 16};
  const auto out = attention_head<TestType>(Sinusoidal<TestType>(d_model), w, {x, x, at, at},
                                            Mask::additive(added), scoring);
  const Rows p = literal::sinusoids(at, d_model, paper_base), from = wide(x) + p;
  Rows logits = literal::scores(literal::product(from, wide(w.W_q)),
                                literal::product(from, wide(w.W_k)), std::sqrt(double{d}));
  for (Index i = 0; i < tokens; ++i) {
    const Position times = at[static_cast<std::size_t>(i)] / 16;
    logits.row(i) *= 1 + 0.5 * std::log1p(static_cast<double>(times));
  }
  logits += added;
  const double bound = 4 * rounding_bound<TestType>(roundings_of(d_model)) + 2 * angle_bound(1000);
  check_agreement("logits", out.logits, logits, bound);
  Rows sum = Rows::Zero(tokens, tokens);
  for (const ScoreTerm<TestType>& term : out.terms) sum += wide(term.logits);
  check_agreement<TestType>("the sum of the terms", sum.template cast<TestType>(), logits, bound);
}

// Of a causal text, whose first two queries see no key.
TEST_CASE("Rows that see no key, or a NaN, are counted on both ways of attention") {
  Random random(test::drawn_seed(), "counted rows");
  const Positions m = consecutive_positions(12, 3), n = consecutive_positions(20, 5);
  const NoEncoding<double> none;
  const auto doors = SoftmaxDoors<double>::of(none);
  for (const Index with_nan : {0, 1, 3}) {
    INFO(with_nan << " rows with a NaN");
    Matrix<double> q = normal_matrix<double>(random, 12, d, 3);
    const Matrix<double> k = normal_matrix<double>(random, 20, d),
                         v = normal_matrix<double>(random, 20, d_v);
    for (Index i = 0; i < with_nan; ++i) q(11 - i, i) = std::numeric_limits<double>::quiet_NaN();
    const AttentionInputs<double> in{q, k, v, m, n};
    for (const auto& out : {softmax_attention<double>(in, doors, Mask::causal(m, n)),
                            attention_output<double>(in, doors, Mask::causal(m, n))}) {
      CHECK(out.fully_masked_rows == 2);
      CHECK(out.nan_rows == with_nan);
      CHECK(out.output.topRows(2).isZero(0));
    }
  }
}

TEST_CASE("Features that are all 0 have no weights and no output, and are counted") {
  const Relu<double> relu;
  const Positions at = consecutive_positions(6);
  Rows q = Rows::Constant(6, d, 0.5), k = q, v = Rows::Constant(6, d_v, 2.0);
  q.topRows(2).setConstant(-1);
  for (const bool causal : {false, true}) {
    const AttentionInputs<double> in{q, k, v, at, at};
    const auto out = linear_attention<double>(in, relu, nullptr, {.causal = causal});
    const auto map = linear_attention_weights<double>(in, relu, nullptr, {.causal = causal});
    CHECK(out.zero_normalizers == 2);
    CHECK(out.output.topRows(2).isZero(0));
    CHECK(out.output.bottomRows(4).isConstant(2.0, 1e-12));
    CHECK(map.topRows(2).isZero(0));
    CHECK(map.bottomRows(4).rowwise().sum().isConstant(1.0, 1e-12));
  }
}

TEST_CASE("Drawn projections keep the size of x: their numbers have variance 1/d_model") {
  constexpr Index d_model = 64, d_head = 64;
  const Projections<double> w = random_projections<double>(test::drawn_seed(), 0, d_model, d_head);
  const double sum = w.W_q.squaredNorm() + w.W_k.squaredNorm() + w.W_v.squaredNorm();
  // 5 deviations of the mean of 3·64·64 squares.
  CHECK(sum / static_cast<double>(3 * d_head) == Approx(1).margin(0.06).epsilon(0));
}

}  // namespace in_rows
}  // namespace
