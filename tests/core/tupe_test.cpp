#include "core/encodings/tupe.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// Rows (1, −1), (−1, 1), …: layer normalisation leaves their signs, ±s with s = 1/√(1 + 1e-5).
Tupe<double> small(TupeOptions options) {
  const Matrix<double> table = matrix(5, 2, {1, -1, -1, 1, 1, -1, -1, 1, 1, -1});
  Matrix<double> bias = Matrix<double>::Zero(33, 1);
  for (Index b = 0; b < 33; ++b) bias(b, 0) = 100.0 * static_cast<double>(b);
  const Matrix<double> first = matrix(2, 1, {1, 0});  // takes the first channel
  return Tupe<double>({table, first, first, bias}, options);
}

AttentionOutput<double> attend(const Tupe<double>& tupe) {
  const Matrix<double> zero = Matrix<double>::Zero(1, 1);
  return three_tokens(tupe, zero, zero, zero);
}

}  // namespace

TEST_CASE("TUPE's buckets equal the reference, [CLS] apart") {
  const auto expected = golden("formulas.json").at("tupe bucket of query and key, 5 tokens");
  for (Position i = 0; i < 5; ++i)
    for (Position j = 0; j < 5; ++j)
      CHECK(tupe_bucket(i, j, true) ==
            expected.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).get<Index>());
  CHECK(tupe_bucket(0, 1, false) == 17);
}

TEST_CASE("By hand: positions of tokens 0, 1, 2 are −s, s, −s; over √2 their products alternate") {
  const double e = 1 / (1 + 1e-5) / std::sqrt(2.0);
  CHECK(near(attend(small({false, false})).logits, matrix(3, 3, {e, -e, e, -e, e, -e, e, -e, e})));
}

TEST_CASE("By hand: [CLS] has θ_1 as a query and θ_2 as a key, both s²/√2 here") {
  const double e = 1 / (1 + 1e-5) / std::sqrt(2.0);
  CHECK(near(attend(small({true, false})).logits, matrix(3, 3, {e, e, e, e, e, -e, e, -e, e})));
}

TEST_CASE("By hand: the bias of buckets, 16 for the query [CLS] and 32 for the key") {
  const auto out = attend(small({true, true}));
  CHECK(out.terms[2].name == "relative_bias");
  CHECK(near(out.terms[2].logits, matrix(3, 3, {1600, 1600, 1600, 3200, 0, 1700, 3200, 100, 0})));
}

TEST_CASE("TUPE knows the positions of its table and no other") {
  CHECK(small({}).last_position() == 3);
  const Matrix<double> zero = Matrix<double>::Zero(1, 1);
  CHECK_THROWS_WITH(
      attention_from_qkv<double>(small({}), {zero, zero, zero, Positions{4}, Positions{0}}),
      Contains("position 4"));
  CHECK_THROWS_WITH(Tupe<double>({}, {}), Contains("[L + 2, d_model]"));
}
