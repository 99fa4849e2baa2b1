#include "core/analysis/term_shares.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/errors.h"
#include "core/random.h"

using namespace orrery;

namespace {

Matrix<double> square_of(std::initializer_list<double> values) {
  Matrix<double> m(2, 2);
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

}  // namespace

TEST_CASE("Shares by hand: a term three times as large as its like explains three quarters") {
  const auto shares = term_shares<double>({square_of({1, -1, -1, 1}), square_of({3, -3, -3, 3})});
  CHECK(shares[0].share == Approx(0.25));
  CHECK(shares[1].share == Approx(0.75));
  CHECK(shares[1].variance == 9);
  CHECK(shares[1].largest == 3);
}

TEST_CASE("A term that is constant along rows has a share, but none within rows") {
  const auto shares = term_shares<double>({square_of({1, 1, -1, -1}), square_of({1, -1, 1, -1})});
  CHECK(shares[0].share == Approx(0.5));
  CHECK(shares[0].share_in_rows == 0);
  CHECK(shares[1].share_in_rows == 1);
}

TEST_CASE("A term against the others has a negative share; all add up to 1") {
  Random random(3, "term_shares test");
  const Matrix<double> a = normal_matrix<double>(random, 20, 30);
  const Matrix<double> b = normal_matrix<double>(random, 20, 30);
  const auto shares = term_shares<double>({a, Matrix<double>(-0.25 * a), b});
  CHECK(shares[1].share < 0);
  CHECK(shares[0].share + shares[1].share + shares[2].share == Approx(1).epsilon(1e-14));
  CHECK(shares[0].share_in_rows + shares[1].share_in_rows + shares[2].share_in_rows ==
        Approx(1).epsilon(1e-14));
}

TEST_CASE("Masked cells count nothing, and logits that do not vary have no shares") {
  const Positions p{0, 1};
  const auto shares = term_shares<double>({square_of({2, 100, 4, 6})}, Mask::causal(p, p));
  CHECK(shares[0].largest == 6);
  CHECK(shares[0].variance == Approx(8.0 / 3));
  CHECK(std::isnan(term_shares<double>({square_of({2, 2, 2, 2})})[0].share));
  CHECK_THROWS_AS(term_shares<double>({}), UsageError);
  CHECK_THROWS_AS(term_shares<double>({square_of({1, 2, 3, 4}), Matrix<double>(1, 2)}), UsageError);
}
