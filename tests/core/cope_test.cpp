#include "core/encodings/cope.h"

#include <cmath>
#include <limits>

#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE("By hand: a query of 1, gates of 1/2, 3/4 and 1/4, and a table that counts in tens") {
  Matrix<double> q = Matrix<double>::Ones(1, 1), k(3, 1), table(3, 1);
  k << 0, std::log(3.0), -std::log(3.0);
  table << 0, 10, 20;
  const Cope<double> cope(CopeGate::scaled, table);
  const Matrix<double> found = logits_of<double>(cope, q, k, {2}, {0, 1, 2});
  Matrix<double> expected(1, 3);  // counts 1.5, 1 and 0.25
  expected << 15, std::log(3.0) + 10, -std::log(3.0) + 2.5;
  CHECK(largest_difference(found, expected) < 1e-14);
}

TEMPLATE_TEST_CASE("CoPE attends as x-transformers' does", "", float, double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("cope");
  g.check(Cope<TestType>(CopeGate::scaled, matrix_of<TestType>(c.at("table"))), c);
}

TEST_CASE("With gates wide open it counts tokens: Shaw's vector of the distance, clipped") {
  Matrix<double> table(4, 1);
  table << 0, 1, 2, 4;
  const Cope<double> cope(CopeGate::unscaled, table);
  const Matrix<double> q = Matrix<double>::Ones(1, 1), k = Matrix<double>::Constant(6, 1, 1000);
  const Matrix<double> found = logits_of<double>(cope, q, k, {3}, {0, 1, 2, 3, 4, 5});
  const std::vector<double> expected{4, 4, 2, 1, 2, 4};  // of counts 4, 3, 2, 1, 2, 3, up to 3
  for (Index j = 0; j < 6; ++j)
    CHECK(found(0, j) - 1000 == Approx(expected[static_cast<std::size_t>(j)]));
}

TEST_CASE("Without contents every key counts half, and terms say so") {
  Matrix<double> table(3, 2);
  table << 1, 0, 2, 0, 4, 0;
  const Cope<double> cope(CopeGate::scaled, table);
  Matrix<double> q(1, 2);
  q << 1, 0;
  const Matrix<double> k = Matrix<double>::Zero(3, 2);
  const auto terms = cope.score_terms({q, k, Positions{2}, Positions{0, 1, 2}});
  REQUIRE(terms.size() == 3);
  CHECK(terms[1].name == "counted_position");
  CHECK(terms[1].logits(0, 2) == 1.5);
  CHECK(terms[1].logits(0, 0) == 3);
  CHECK(terms[2].logits.isZero(0));
}

TEST_CASE("A NaN in a key reaches the counts beyond it; an empty table is refused") {
  const Matrix<double> table = Matrix<double>::Ones(3, 1);
  Matrix<double> k = Matrix<double>::Ones(3, 1);
  k(1, 0) = std::numeric_limits<double>::quiet_NaN();
  const Matrix<double> q = Matrix<double>::Ones(1, 1);
  const Matrix<double> found =
      logits_of<double>(Cope<double>(CopeGate::scaled, table), q, k, {2}, {0, 1, 2});
  CHECK(std::isnan(found(0, 0)));
  CHECK(std::isnan(found(0, 1)));
  CHECK(std::isfinite(found(0, 2)));
  CHECK_THROWS_WITH(Cope<double>(CopeGate::scaled, Matrix<double>(0, 0)), Contains("CoPE table"));
}
