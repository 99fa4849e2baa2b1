#include "core/analysis/diagonals.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include "core/errors.h"
#include "core/random.h"

using namespace orrery;

namespace {

Matrix<double> by_hand() {
  Matrix<double> m(3, 3);
  m << 1, 2, 3,  //
      4, 1, 2,   //
      5, 4, 1;
  return m;
}

const Positions p{0, 1, 2};

}  // namespace

TEST_CASE("A Toeplitz matrix has residual 0; one cell off is seen, whichever it is") {
  CHECK(toeplitz_residual(by_hand(), p, p) == 0);
  for (Index i = 0; i < 9; ++i) {
    Matrix<double> off = by_hand();
    off.data()[i] += 0.25;
    const bool alone = i == 2 || i == 6;  // a corner is a diagonal of its own
    CHECK(toeplitz_residual(off, p, p) == (alone ? 0 : 0.25));
  }
}

TEST_CASE("Diagonals follow positions, not places: tokens in another order") {
  const Positions m{2, 0}, n{0, 2};
  Matrix<double> values(2, 2);
  values << 7, 5, 5, 9;  // r = 2, 0, 0, −2
  CHECK(toeplitz_residual(values, m, n) == 0);
  const DiagonalProfile profile = diagonal_profile<double>(values, m, n);
  CHECK(profile.r == Positions{-2, 0, 2});
  CHECK(profile.mean == std::vector<double>{9, 5, 7});
}

TEST_CASE("The residual is the same whether positions are consecutive or in any order") {
  Random random(3, "diagonals");
  for (const auto& [rows, columns] : {std::pair<Index, Index>{5, 9}, {9, 5}, {1, 40}, {33, 34}}) {
    const Matrix<double> values = normal_matrix<double>(random, rows, columns);
    const Positions m = consecutive_positions(rows, 7), n = consecutive_positions(columns, -2);
    const Positions m_back(m.rbegin(), m.rend()), n_back(n.rbegin(), n.rend());
    const Matrix<double> turned = values.reverse();
    CHECK(toeplitz_residual(values, m, n) == toeplitz_residual(turned, m_back, n_back));
  }
}

TEST_CASE("A profile has mean and deviation of what the mask allows") {
  Matrix<double> values = by_hand();
  values(1, 0) = 6;  // with 4 on the same diagonal: mean 5, deviation 1
  const DiagonalProfile profile = diagonal_profile<double>(values, p, p, Mask::causal(p, p));
  CHECK(profile.r == Positions{0, 1, 2});
  CHECK(profile.mean == std::vector<double>{1, 5, 5});
  CHECK(profile.deviation == std::vector<double>{0, 1, 0});
  CHECK(profile.count == std::vector<double>{3, 2, 1});
  CHECK(profile.low == std::vector<double>{1, 4, 5});
  CHECK(profile.high == std::vector<double>{1, 6, 5});
}

TEST_CASE("A profile is the same whether positions are consecutive or in any order") {
  Random random(4, "profiles");
  const Matrix<double> values = normal_matrix<double>(random, 7, 5);
  const Positions m = consecutive_positions(7, 2), n = consecutive_positions(5, -1);
  const Positions m_back(m.rbegin(), m.rend()), n_back(n.rbegin(), n.rend());
  const DiagonalProfile ahead = diagonal_profile<double>(values, m, n);
  const DiagonalProfile back = diagonal_profile<double>(values.reverse(), m_back, n_back);
  CHECK(ahead.r == back.r);
  CHECK(ahead.count == back.count);
  CHECK(ahead.low == back.low);
  CHECK(ahead.high == back.high);
  for (std::size_t i = 0; i < ahead.r.size(); ++i) CHECK(ahead.mean[i] == Approx(back.mean[i]));
}

TEST_CASE("A NaN is in the profile of its diagonal, and of no other") {
  Matrix<double> values = by_hand();
  values(1, 0) = std::numeric_limits<double>::quiet_NaN();
  const DiagonalProfile profile = diagonal_profile<double>(values, p, p);
  for (std::size_t i = 0; i < 5; ++i) {
    const bool here = profile.r[i] == 1;
    CHECK(std::isnan(profile.mean[i]) == here);
    CHECK(std::isnan(profile.low[i]) == here);
    CHECK(std::isnan(profile.high[i]) == here);
  }
}

TEST_CASE("A NaN is not overlooked, and wrong shapes are refused") {
  Matrix<double> values = by_hand();
  values(0, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(toeplitz_residual(values, p, p)));
  CHECK_THROWS_AS(toeplitz_residual(values, p, Positions{0, 1}), UsageError);
}
