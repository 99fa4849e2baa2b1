// Shapes, repeats and ends that no other test gives to core.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>

#include "core/attention/content.h"
#include "core/attention/softmax_attention.h"
#include "core/encodings/cope.h"
#include "core/encodings/deberta.h"
#include "core/encodings/fire.h"
#include "core/encodings/fox.h"
#include "core/encodings/grape_additive.h"
#include "core/encodings/inkling.h"
#include "core/encodings/path.h"
#include "core/encodings/rotation_table.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/transformer_xl.h"
#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

struct Pulled {
  Matrix<double> q;
  Matrix<double> k;
  Tables tables;
};

Pulled pulled(const ScoreTerms<double>& encoding, const ScoreInputs<double>& in,
              const Matrix<double>& d_logits) {
  Pulled d{Matrix<double>::Zero(in.q.rows(), in.q.cols()),
           Matrix<double>::Zero(in.k.rows(), in.k.cols()),
           {}};
  encoding.add_score_gradients(in, d_logits, {d.q, d.k, nullptr, d.tables});
  return d;
}

Matrix<double> sum_of_terms(const ScoreTerms<double>& encoding, const ScoreInputs<double>& in) {
  Matrix<double> sum = Matrix<double>::Zero(in.q.rows(), in.k.rows());
  for (const ScoreTerm<double>& term : encoding.score_terms(in)) sum += term.logits;
  return sum;
}

Matrix<double> drawn(Index rows, Index columns, std::int64_t seed) {
  Random random(seed, "untried shapes");
  return normal_matrix<double>(random, rows, columns);
}

Matrix<double> of_shape(Index rows, Index columns) {
  return Matrix<double>::Constant(rows, columns, 0.5);
}

}  // namespace

TEST_CASE("CoPE counts the keys ahead of a query as it counts those behind") {
  const Cope<double> cope(CopeGate::scaled, drawn(4, 8, 1));
  const Matrix<double> q = drawn(4, 8, 2), k = drawn(6, 8, 3), d_logits = drawn(4, 6, 4);
  // Before all keys, on one of two at a position, between two, and behind all.
  const Positions m{-3, 2, 4, 11}, n{0, 2, 2, 3, 5, 9};
  Positions m_back, n_back;
  for (const Position p : m) m_back.push_back(-p);
  for (const Position p : n) n_back.push_back(-p);
  const ScoreInputs<double> ahead{q, k, m, n}, behind{q, k, m_back, n_back};
  CHECK(largest_difference(sum_of_terms(cope, ahead), sum_of_terms(cope, behind)) < 1e-14);
  const Pulled a = pulled(cope, ahead, d_logits), b = pulled(cope, behind, d_logits);
  CHECK(largest_difference(a.q, b.q) < 1e-14);
  CHECK(largest_difference(a.k, b.k) < 1e-14);
  CHECK(largest_difference(a.tables.at("cope.table"), b.tables.at("cope.table")) < 1e-14);
}

TEST_CASE("A NaN that CoPE counts is in the derivatives by the keys that it counts with it") {
  const Cope<double> cope(CopeGate::scaled, drawn(9, 8, 1));
  const Matrix<double> q = drawn(5, 8, 2), d_logits = of_shape(5, 5);
  Matrix<double> k = drawn(5, 8, 3);
  k(3, 2) = std::numeric_limits<double>::quiet_NaN();
  const Positions at = consecutive_positions(5);
  const Pulled d = pulled(cope, {q, k, at, at}, d_logits);
  CHECK(std::isnan(d.k(4, 0)));  // the last query counts it to reach the third key
}

TEST_CASE("Two equal keys at one position share what gates count") {
  const Positions m{4}, n{1, 2, 2, 3};
  const Matrix<double> q = drawn(1, 8, 2);
  Matrix<double> k = drawn(4, 8, 3);
  k.row(2) = k.row(1);
  for (const char* name : {"cope", "fox", "path"}) {
    INFO(name);
    const auto encoding = make_case<double>({name, {}}, 8, 1);
    const auto doors = SoftmaxDoors<double>::of(*encoding);
    const Matrix<double> logits = softmax_attention<double>({q, k, k, m, n}, doors).logits;
    CHECK(logits.allFinite());
    if (name != std::string("path")) CHECK(logits(0, 1) == Approx(logits(0, 2)).epsilon(1e-14));
  }
}

TEST_CASE("A direction of zeros has no derivative, and spoils no other") {
  const Positions at = consecutive_positions(3);
  const Matrix<double> q = drawn(3, 8, 1), d_logits = drawn(3, 3, 2);
  Matrix<double> k = drawn(3, 8, 3);
  k.row(1).setZero();
  const GrapeAdditive<double> grape(1, GrapeGate::key,
                                    {.key = of_shape(1, 8) * 0.0, .query = of_shape(1, 8)});
  const Pulled of_grape = pulled(grape, {q, k, at, at}, d_logits);
  CHECK(of_grape.k.allFinite());
  CHECK(of_grape.tables.at("grape_additive.key").isZero(0));
  const auto path = make_case<double>({"path", {}}, 8, 1);
  const Pulled of_path =
      pulled(dynamic_cast<const ScoreTerms<double>&>(*path), {q, k, at, at}, d_logits);
  CHECK(of_path.q.allFinite());
  CHECK(of_path.k.allFinite());
  for (const auto& [name, table] : of_path.tables) CHECK(table.allFinite());
}

TEST_CASE("Every key of a context has its derivative, with queries before and behind all of them") {
  const Matrix<double> q = drawn(4, 8, 2), k = drawn(6, 8, 3), d_logits = drawn(4, 6, 4);
  const Positions m{-3, 2, 4, 11}, n{0, 2, 2, 3, 5, 9};
  for (const char* name : {"cope", "fox", "path", "grape_additive"}) {
    const auto encoding = make_case<double>({name, {}}, 8, 1);
    const auto& terms = dynamic_cast<const ScoreTerms<double>&>(*encoding);
    const auto loss = [&](const Matrix<double>& keys) {
      return sum_of_terms(terms, {q, keys, m, n}).cwiseProduct(d_logits).sum();
    };
    const Pulled d = pulled(terms, {q, k, m, n}, d_logits);
    constexpr double step = 1e-5;
    for (Index j = 0; j < 6; ++j)
      for (const Index c : {0, 5}) {
        INFO(name << " key " << j << " channel " << c);
        Matrix<double> above = k, below = k;
        above(j, c) += step;
        below(j, c) -= step;
        CHECK(d.k(j, c) ==
              Approx((loss(above) - loss(below)) / (2 * step)).epsilon(1e-6).margin(1e-8));
      }
  }
}

TEST_CASE("Distances beyond Inkling's profiles leave them as they are") {
  const Inkling<double> inkling(of_shape(8, 3), drawn(3, 5, 1), 8);
  const Matrix<double> q = drawn(2, 8, 2), k = drawn(2, 8, 3), d_logits = of_shape(2, 2);
  const Pulled far = pulled(inkling, {q, k, Positions{100, 101}, Positions{0, 1}}, d_logits);
  for (const auto& [name, table] : far.tables) CHECK(table.isZero(0));
  CHECK_FALSE(pulled(inkling, {q, k, Positions{2, 3}, Positions{0, 1}}, d_logits)
                  .tables.at("inkling.profiles")
                  .isZero(0));
}

TEST_CASE("DeBERTa without biases is DeBERTa with biases of zeros, which then have a derivative") {
  const Positions at = consecutive_positions(5);
  const Matrix<double> q = drawn(5, 4, 1), k = drawn(5, 4, 2), d_logits = drawn(5, 5, 3);
  Deberta<double>::Weights weights{drawn(6, 8, 4), drawn(8, 8, 5), drawn(8, 8, 6), 4};
  const Pulled without = pulled(Deberta<double>(weights, {.span = 3}), {q, k, at, at, 1}, d_logits);
  weights.b_qr = weights.b_kr = Matrix<double>::Zero(1, 8);
  const Pulled with = pulled(Deberta<double>(weights, {.span = 3}), {q, k, at, at, 1}, d_logits);
  CHECK(largest_difference(without.k, with.k) < 1e-14);
  CHECK(without.tables.size() + 2 == with.tables.size());
  for (const auto& [name, table] : without.tables)
    CHECK(largest_difference(table, with.tables.at(name)) < 1e-14);
}

TEST_CASE("More than 64 tokens at one position turn alike") {
  const RotationTable table({1.0, 0.1, 0.01});
  const Positions at(200, 70);
  Matrix<double> x = of_shape(200, 6);
  table.rotate_half_split<double>(at, x);
  CHECK((x.rowwise() - x.row(0)).isZero(0));
  CHECK(x(199, 0) == Approx(0.5 * (std::cos(70.0) - std::sin(70.0))).margin(1e-13));
}

TEST_CASE("Long queries and keys are weighed without a map as with one, in any width") {
  for (const Index d : {8, 16, 24, 64}) {
    const Positions at = consecutive_positions(40);
    const Matrix<double> q = drawn(40, d, 1) * 20, k = drawn(40, d, 2) * 20, v = drawn(40, d, 3);
    const auto none = make_case<double>({"none", {}}, d, 1);
    const auto doors = SoftmaxDoors<double>::of(*none);
    const Mask mask = Mask::causal(at, at);
    CHECK(largest_difference(softmax_attention<double>({q, k, v, at, at}, doors, mask).output,
                             attention_output<double>({q, k, v, at, at}, doors, mask).output) <
          1e-12);
  }
}

TEST_CASE("Attention without queries has no rows, whatever the encoding") {
  const Matrix<double> none(0, 8), k = drawn(3, 8, 1);
  const Positions n = consecutive_positions(3);
  for (const CatalogueCase& c : catalogue_cases()) {
    INFO(c.title());
    if (c.title().ends_with("reads=input")) continue;  // of x, which has rows by keys alone
    const auto encoding = make_case<double>(c, 8);
    const auto doors = SoftmaxDoors<double>::of(*encoding);
    const auto output = attention_output<double>({none, k, k, Positions{}, n}, doors).output;
    CHECK(output.rows() == 0);
    CHECK(output.cols() == 8);
  }
}

TEST_CASE("Sinusoids in fp32 are those in fp64, rounded") {
  const Positions at{0, 5, 1000, 65537};
  CHECK(largest_difference(Sinusoidal<float>(16).table(at).cast<double>(),
                           Sinusoidal<double>(16).table(at)) < 1e-6);
}

TEST_CASE("Tables without rows, channels or heads are refused by the encoding that reads them") {
  CHECK_THROWS_WITH(Shaw<double>(of_shape(2, 8), {}, ShawOptions{.left = -1, .right = 2}),
                    Contains("-1 + 2 + 1"));
  CHECK_THROWS_WITH(Shaw<double>(of_shape(2, 8), {}, ShawOptions{.left = 2, .right = -1}),
                    Contains("2 + -1 + 1"));
  CHECK_THROWS_WITH(
      Deberta<double>({of_shape(0, 8), of_shape(8, 8), of_shape(8, 8), 8}, {.span = 0}),
      Contains("2·span"));
  CHECK_THROWS_WITH(
      Fire<double>({}, {of_shape(1, 0), of_shape(1, 0), of_shape(0, 2), of_shape(1, 2)}),
      Contains("w1 [1, 0]"));
  CHECK_THROWS_WITH(
      Fire<double>({}, {of_shape(1, 3), of_shape(1, 3), of_shape(3, 0), of_shape(1, 0)}),
      Contains("w2 [3, 0]"));
  CHECK_THROWS_WITH(check_gates({.weight = of_shape(0, 8), .bias = of_shape(1, 0)}),
                    Contains("bias [1, 0]"));
  CHECK_THROWS_WITH(
      GrapeAdditive<double>(2, GrapeGate::key, {.key = of_shape(2, 0), .query = of_shape(2, 0)}),
      Contains("u [2, 0]"));
  CHECK_THROWS_WITH(Inkling<double>(of_shape(8, 3), of_shape(3, 5), 0), Contains("mixing [8, 3]"));
  CHECK_THROWS_WITH(Inkling<double>(of_shape(0, 3), of_shape(3, 5), 8), Contains("mixing [0, 3]"));
  CHECK_THROWS_WITH(Sinusoidal<double>(0, 10000.0, SinusoidalLayout::tensor2tensor),
                    Contains("d_model=0"));
}

TEST_CASE("Heads are said to be alike where they are, and where they are not, they differ") {
  const Matrix<double> x = drawn(9, 8, 1);
  const Positions at = consecutive_positions(9);
  for (const EncodingEntry& entry : encoding_catalogue()) {
    INFO(entry.info.name);
    // Rows that differ by head where the default has the same for each.
    const Tables by_head{{"pope.phases", of_shape(2, 8) * -1.0}, {"kerple.r1", of_shape(1, 2)}};
    Tables tables;
    for (auto [name, table] : by_head)
      if (name.starts_with(entry.info.name)) {
        table(0, 0) *= 2;
        tables[name] = table;
      }
    const ParamSet params = params_of({entry.info.name, {}});
    const auto encoding = make_encoding<double>(
        entry.info.name,
        {.d_model = 8, .d_head = 8, .heads = 2, .params = params, .tables = &tables});
    const auto doors = SoftmaxDoors<double>::of(*encoding);
    const auto of_head = [&](int head) {
      return softmax_attention<double>({x, x, x, at, at, head}, doors).logits;
    };
    CHECK((largest_difference(of_head(0), of_head(1)) == 0) == entry.info.same_heads);
  }
}
