#include "core/encodings/tupe.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Matrix<double> hundreds(Index rows) {
  Matrix<double> bias = Matrix<double>::Zero(rows, 1);
  for (Index b = 0; b < rows; ++b) bias(b, 0) = 100.0 * static_cast<double>(b);
  return bias;
}

const Matrix<double> first_channel = matrix(2, 1, {1, 0});

/// Rows (1, −1), (−1, 1), …: layer normalisation leaves their signs, ±s with s = 1/√(1 + 1e-5).
Tupe<double> released(bool untie_cls, bool relative_bias) {
  const Matrix<double> table = matrix(5, 2, {1, -1, -1, 1, 1, -1, -1, 1, 1, -1});
  return Tupe<double>({table, first_channel, first_channel, hundreds(33)},
                      {untie_cls, relative_bias, TupeVariant::released});
}

/// Position i is i + 1; θ_1 = 7, θ_2 = 9.
Tupe<double> printed(bool untie_cls, bool relative_bias) {
  const Matrix<double> table = matrix(4, 2, {1, 0, 2, 0, 3, 0, 4, 0});
  return Tupe<double>({table, first_channel, first_channel, hundreds(32), matrix(2, 1, {7, 9})},
                      {untie_cls, relative_bias, TupeVariant::paper});
}

AttentionOutput<double> attend(const Tupe<double>& tupe) {
  const Matrix<double> zero = Matrix<double>::Zero(1, 1);
  return three_tokens(tupe, zero, zero, zero);
}

const double root2 = std::sqrt(2.0);

}  // namespace

TEST_CASE("By hand, the paper: positions 1, 2, 3, their products over √2, no LayerNorm") {
  CHECK(near(attend(printed(false, false)).logits * root2,
             matrix(3, 3, {1, 2, 3, 2, 4, 6, 3, 6, 9})));
}

TEST_CASE("By hand, the paper: [CLS] scores θ_1 = 7 as a query, θ_2 = 9 as a key, and no bias") {
  const auto out = attend(printed(true, true));
  const double r = 1 / root2;
  CHECK(near(out.terms[1].logits, matrix(3, 3, {7, 7, 7, 9, 4 * r, 6 * r, 9, 6 * r, 9 * r})));
  CHECK(near(out.terms[2].logits, matrix(3, 3, {0, 0, 0, 0, 0, 1700, 0, 100, 0})));
  const Positions at{0, 1};
  const IndexMatrix rows = printed(true, true).table_index(at, at);
  CHECK(rows(0, 0) == -1);
  CHECK(rows(0, 1) == -1);
  CHECK(rows(1, 0) == -1);
  CHECK(rows(1, 1) == 0);
}

TEST_CASE("By hand, released: the biases of U_q and U_k, and LayerNorm's gain and bias") {
  const Matrix<double> table = matrix(4, 2, {1, -1, -1, 1, 1, -1, -1, 1});
  Tupe<double>::Weights weights{table, first_channel, first_channel, hundreds(33)};
  weights.b_q = matrix(1, 1, {10});
  weights.b_k = matrix(1, 1, {20});
  weights.norm_gain = matrix(1, 2, {2, 2});
  weights.norm_bias = matrix(1, 2, {5, 5});
  const double s = 1 / std::sqrt(1 + 1e-5), low = 5 - 2 * s, high = 5 + 2 * s;
  const auto out = attend(Tupe<double>(weights, {false, false, TupeVariant::released})).logits;
  const auto product = [&](double m, double n) { return (m + 10) * (n + 20) / root2; };
  CHECK(out(0, 1) == Approx(product(low, high)).epsilon(1e-14));
  CHECK(out(1, 0) == Approx(product(high, low)).epsilon(1e-14));
  weights.b_k = matrix(2, 1, {1, 2});
  CHECK_THROWS_WITH(Tupe<double>(weights, {false, false, TupeVariant::released}),
                    Contains("b_q, b_k, norm_gain and norm_bias"));
}

TEST_CASE("TUPE's buckets equal the reference, [CLS] apart") {
  const auto expected = golden("formulas.json").at("tupe bucket of query and key, 5 tokens");
  const Positions at{0, 1, 2, 3, 4};
  const IndexMatrix rows = released(true, true).table_index(at, at);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 5; ++j)
      CHECK(rows(i, j) ==
            expected.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).get<Index>());
  CHECK(released(false, true).table_index(at, at)(0, 1) == 17);
}

TEST_CASE(
    "By hand, released: positions of tokens 0, 1, 2 are −s, s, −s; over √2 their products "
    "alternate") {
  const double e = 1 / (1 + 1e-5) / std::sqrt(2.0);
  CHECK(near(attend(released(false, false)).logits, matrix(3, 3, {e, -e, e, -e, e, -e, e, -e, e})));
}

TEST_CASE("By hand, released: [CLS] has θ_1 as a query and θ_2 as a key, both s²/√2 here") {
  const double e = 1 / (1 + 1e-5) / std::sqrt(2.0);
  CHECK(near(attend(released(true, false)).logits, matrix(3, 3, {e, e, e, e, e, -e, e, -e, e})));
}

TEST_CASE("By hand, released: the bias of buckets, 16 for the query [CLS] and 32 for the key") {
  const auto out = attend(released(true, true));
  CHECK(out.terms[2].name == "relative_bias");
  CHECK(near(out.terms[2].logits, matrix(3, 3, {1600, 1600, 1600, 3200, 0, 1700, 3200, 100, 0})));
}

TEST_CASE("TUPE knows positions 0 to L − 1 and no other, L rows in the paper and L + 1 released") {
  const Matrix<double> zero = Matrix<double>::Zero(1, 1);
  for (const Tupe<double>& tupe : {printed(true, true), released(true, true)}) {
    CHECK(tupe.traits().last_position == 3);
    const auto at = [&](Position m) {
      return attention_from_qkv<double>(tupe, {zero, zero, zero, Positions{m}, Positions{0}});
    };
    CHECK(at(3).logits.size() == 1);
    CHECK_THROWS_WITH(at(4), Contains("position 4") && Contains("0 to 3"));
  }
}

TEST_CASE("TUPE refuses tables of the other variant, and a missing θ") {
  const Matrix<double> table = matrix(2, 2, {1, 0, 2, 0});
  CHECK_THROWS_WITH(Tupe<double>({}, {}), Contains("[L, d_model]"));
  CHECK_THROWS_WITH(Tupe<double>({}, {.variant = TupeVariant::released}),
                    Contains("[L + 1, d_model]"));
  CHECK_THROWS_WITH(Tupe<double>({table, first_channel, first_channel, hundreds(33)}, {}),
                    Contains("[32, heads]"));
  CHECK_THROWS_WITH(Tupe<double>({table, first_channel, first_channel, hundreds(32)}, {}),
                    Contains("θ_1 and θ_2 of each head"));
}
