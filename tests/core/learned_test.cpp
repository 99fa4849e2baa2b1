#include "core/encodings/learned.h"

#include <catch2/catch.hpp>

#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE("By hand: x = 1, rows 0, 1, 2 and W = 1 give (1 + m)(1 + n)") {
  const Learned<double> learned(matrix(3, 1, {0, 1, 2}));
  const Matrix<double> x = Matrix<double>::Ones(3, 1);
  const Positions at{0, 1, 2};
  const auto out =
      attention_head<double>(learned, Projections<double>::identity(1), {x, x, at, at});
  CHECK(near(out.logits, matrix(3, 3, {1, 2, 3, 2, 4, 6, 3, 6, 9})));
}

TEST_CASE("A learned table has its own positions and no other") {
  const Learned<double> learned(matrix(3, 1, {0, 1, 2}));
  Matrix<double> x = Matrix<double>::Ones(1, 1);
  CHECK(learned.traits().last_position == 2);
  CHECK_THROWS_WITH(learned.add_to_input(Positions{3}, x),
                    Contains("position 3: the learned table has positions 0 to 2"));
  CHECK_THROWS_WITH(learned.add_to_input(Positions{-1}, x), Contains("position -1"));
  Matrix<double> wide = Matrix<double>::Ones(1, 2);
  CHECK_THROWS_WITH(learned.add_to_input(Positions{0}, wide), Contains("x with 2 channels"));
}
