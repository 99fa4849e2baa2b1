#include "core/encodings/shaw.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;

TEST_CASE("Shaw's index counts key minus query, clipped, as the reference") {
  const auto expected = golden("formulas.json").at("shaw row of query and key, 5 tokens, clip 2");
  const Positions at = consecutive_positions(5);
  const Shaw<double> shaw(Matrix<double>::Zero(5, 1), {});
  const IndexMatrix index = shaw.table_index(at, at);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 5; ++j)
      CHECK(index(i, j) ==
            expected.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).get<Index>());
}

TEST_CASE("By hand: d = 1, q = 2, k = 0, vectors 10, 20, 30 for a key behind, here, ahead") {
  const Shaw<double> shaw(matrix(3, 1, {10, 20, 30}), {});
  const auto out = three_tokens(shaw, matrix(1, 1, {2}), matrix(1, 1, {0}), matrix(1, 1, {0}));
  CHECK(near(out.logits, matrix(3, 3, {40, 60, 60, 20, 40, 60, 20, 20, 40})));
}

TEST_CASE("By hand: equal weights 1/3 add the mean of the values' vectors that a query sees") {
  const Shaw<double> shaw(Matrix<double>::Zero(3, 1), matrix(3, 1, {3, 6, 9}));
  const auto out = three_tokens(shaw, matrix(1, 1, {0}), matrix(1, 1, {0}), matrix(1, 1, {1}));
  CHECK(near(out.output, matrix(3, 1, {1 + 8, 1 + 6, 1 + 4})));
}

TEST_CASE("By hand: one token behind and none ahead, rows 10 behind and 20 from here on") {
  const Shaw<double> shaw(matrix(2, 1, {10, 20}), {}, ShawOptions{.left = 1, .right = 0});
  const auto out = three_tokens(shaw, matrix(1, 1, {2}), matrix(1, 1, {0}), matrix(1, 1, {0}));
  CHECK(near(out.logits, matrix(3, 3, {40, 40, 40, 20, 40, 40, 20, 20, 40})));
}

TEST_CASE("By hand: BERT's rows begin with the key furthest ahead") {
  const ShawOptions bert{.left = 1, .right = 1, .rows = ShawRows::query_minus_key};
  const Shaw<double> shaw(matrix(3, 1, {10, 20, 30}), {}, bert);
  const auto out = three_tokens(shaw, matrix(1, 1, {2}), matrix(1, 1, {0}), matrix(1, 1, {0}));
  CHECK(near(out.logits, matrix(3, 3, {40, 20, 20, 60, 40, 20, 60, 60, 40})));
}

TEST_CASE("By hand: relative_key_query adds k·a to q·a: q = 2, k = 3, so 6 + 5 a") {
  const ShawOptions both{.left = 1, .right = 1, .scores = ShawScores::queries_and_keys};
  const Shaw<double> shaw(matrix(3, 1, {10, 20, 30}), {}, both);
  const auto out = three_tokens(shaw, matrix(1, 1, {2}), matrix(1, 1, {3}), matrix(1, 1, {0}));
  CHECK(near(out.logits, matrix(3, 3, {106, 156, 156, 56, 106, 156, 56, 56, 106})));
  CHECK(out.terms[2].name == "position_to_content");
  CHECK(near(out.terms[2].logits, matrix(3, 3, {60, 90, 90, 30, 60, 90, 30, 30, 60})));
}

TEST_CASE("Shaw refuses tables and values of another shape") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(Shaw<double>(Matrix<double>::Zero(4, 1), {}), Contains("2·clip + 1 rows"));
  CHECK_THROWS_WITH(Shaw<double>(Matrix<double>::Zero(3, 1), Matrix<double>::Zero(5, 1)),
                    Contains("tables of 3 and 5 rows"));
  const Shaw<double> shaw(Matrix<double>::Zero(3, 1), Matrix<double>::Zero(3, 1));
  const Matrix<double> one = Matrix<double>::Ones(1, 1);
  CHECK_THROWS_WITH(three_tokens(shaw, one, one, Matrix<double>::Ones(1, 2)),
                    Contains("values with 2 channels"));
}
