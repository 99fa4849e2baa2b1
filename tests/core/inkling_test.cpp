#include "core/encodings/inkling.h"

#include <cmath>

#include "core/encodings/shaw.h"
#include "core/random.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE("By hand: queries 1, 2 and 3 times a profile of 5 and 7 at distances 0 and 1") {
  Matrix<double> q(3, 1), profile(1, 2);
  q << 1, 2, 3;
  profile << 5, 7;
  const Inkling<double> inkling(Matrix<double>::Ones(1, 1), profile, 1);
  const Matrix<double> zero = Matrix<double>::Zero(3, 1);
  const Matrix<double> found = logits_of<double>(inkling, q, zero, {0, 1, 2}, {0, 1, 2});
  Matrix<double> expected(3, 3);
  expected << 5, 0, 0, 14, 10, 0, 0, 21, 15;
  CHECK(found == expected);
}

TEMPLATE_TEST_CASE("Inkling's bias is that of Transformers", "", float, double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("inkling");
  const Inkling<TestType> inkling(matrix_of<TestType>(c.at("mixing")),
                                  matrix_of<TestType>(c.at("profiles")), g.q.cols());
  g.check(inkling, c);
  CHECK(g.attend(inkling).terms.at(1).name == "mixed_bias");
}

TEST_CASE("It is Shaw's vector of a distance, of the rank of its profiles") {
  Random random(9, "inkling");
  const Index d = 4, extent = 6;
  const Matrix<double> mixing = normal_matrix<double>(random, d, 2),
                       profiles = normal_matrix<double>(random, 2, extent);
  // Shaw counts key minus query: row clip + n − m. Beyond the extent and ahead there is nothing.
  Matrix<double> table = Matrix<double>::Zero(2 * extent + 1, d);
  for (Index r = 0; r < extent; ++r)
    table.row(extent - r) = (mixing * profiles.col(r)).transpose() * std::sqrt(d);
  const Matrix<double> q = normal_matrix<double>(random, 20, d),
                       k = normal_matrix<double>(random, 20, d);
  const Positions at = consecutive_positions(20, 3);
  CHECK(largest_difference(logits_of<double>(Inkling<double>(mixing, profiles, d), q, k, at, at),
                           logits_of<double>(Shaw<double>(table, {}), q, k, at, at)) < 1e-13);
}

TEST_CASE("Inkling's tables that do not fit are refused") {
  CHECK_THROWS_WITH(Inkling<double>(Matrix<double>::Zero(3, 2), Matrix<double>::Zero(2, 5), 2),
                    Contains("mixing [3, 2]"));
  CHECK_THROWS_WITH(Inkling<double>(Matrix<double>::Zero(2, 2), Matrix<double>::Zero(3, 5), 2),
                    Contains("profiles [3, 5]"));
}
