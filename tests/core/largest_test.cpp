#include "core/analysis/largest.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "core/analysis/diagonals.h"
#include "core/analysis/invariance.h"
#include "core/analysis/term_shares.h"
#include "core/analysis/weight_statistics.h"
#include "core/attention/feature_map.h"
#include "core/errors.h"
#include "tests/support/golden.h"
#include "tests/support/three_tokens.h"

using namespace orrery;

namespace {

constexpr Index largest_count = 9;
constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

/// Entries of both signs, none of them twice, the largest magnitude 40.
template <class T>
Matrix<T> counted(Index rows = largest_count, Index columns = largest_count) {
  Matrix<T> a(rows, columns);
  for (Index i = 0; i < a.size(); ++i)
    a.data()[i] =
        static_cast<T>(static_cast<double>(i) - std::floor(static_cast<double>(a.size()) / 2));
  return a;
}

/// `a` with a NaN at one place.
template <class T>
Matrix<T> spoilt(Matrix<T> a, Index place) {
  a.data()[place] = static_cast<T>(not_a_number);
  return a;
}

/// visit(matrix) with a NaN in each place of `counted`, one after the other.
template <class T, class Visit>
void for_every_place(Visit visit) {
  for (Index place = 0; place < largest_count * largest_count; ++place) {
    INFO("NaN at place " << place);
    visit(spoilt(counted<T>(), place));
  }
}

}  // namespace

TEST_CASE("The largest and the smallest keep a NaN, whichever comes first") {
  for (const std::vector<double>& seen :
       {std::vector<double>{not_a_number, 1, 2}, {1, not_a_number, 2}, {1, 2, not_a_number}}) {
    Largest largest;
    Smallest smallest(5);
    for (const double number : seen) {
      largest.see(number);
      smallest.see(number);
    }
    CHECK(std::isnan(largest.value()));
    CHECK(std::isnan(smallest.value()));
  }
  CHECK(std::isnan(larger(not_a_number, 1)));
  CHECK(std::isnan(larger(1, not_a_number)));
  CHECK(std::isnan(smaller(not_a_number, 1)));
  CHECK(std::isnan(smaller(1, not_a_number)));
  CHECK(std::isnan(larger(not_a_number, infinity)));
  CHECK(std::isnan(smaller(-infinity, not_a_number)));
}

TEST_CASE("Without a NaN they are the maximum and the minimum, infinities among them") {
  CHECK(larger(-2, 3) == 3);
  CHECK(larger(3, -2) == 3);
  CHECK(smaller(-2, 3) == -2);
  CHECK(larger(-infinity, -3) == -3);
  CHECK(larger(infinity, 3) == infinity);
  CHECK(smaller(infinity, 3) == 3);
  CHECK(Largest().value() == 0);
  CHECK(Largest(-7).value() == -7);
  Largest below(-infinity);
  below.see(-4);
  CHECK(below.value() == -4);
}

TEMPLATE_TEST_CASE("Measures of a matrix by hand, and of none", "", float, double) {
  using T = TestType;
  Matrix<T> a(2, 2), b(2, 2);
  a << 3, -4, 0, 1;
  b << 3, -2, 8, 1;
  CHECK(largest_magnitude<T>(a) == 4);
  CHECK(largest_entry<T>(a) == 3);
  CHECK(smallest_entry<T>(a) == -4);
  CHECK(largest_difference<T>(a, b) == 8);
  CHECK(relative_difference<T>(a, b) == 1);
  CHECK(largest_row_norm<T>(a) == 5);
  const Matrix<T> none(0, 3);
  CHECK(largest_magnitude<T>(none) == 0);
  CHECK(largest_difference<T>(none, none) == 0);
  CHECK(largest_row_norm<T>(none) == 0);
  CHECK(std::isnan(largest_entry<T>(none)));
  CHECK(std::isnan(smallest_entry<T>(none)));
  CHECK_THROWS_AS(largest_difference<T>(a, none), UsageError);
  CHECK_THROWS_AS(relative_difference<T>(a, counted<T>()), UsageError);
}

TEMPLATE_TEST_CASE("A NaN in any place of a matrix is its largest, smallest and difference", "",
                   float, double) {
  using T = TestType;
  const Matrix<T> whole = counted<T>();
  for_every_place<T>([&](const Matrix<T>& a) {
    CHECK(std::isnan(largest_magnitude<T>(a)));
    CHECK(std::isnan(largest_entry<T>(a)));
    CHECK(std::isnan(smallest_entry<T>(a)));
    CHECK(std::isnan(largest_row_norm<T>(a)));
    CHECK(std::isnan(largest_difference<T>(a, whole)));
    CHECK(std::isnan(largest_difference<T>(whole, a)));
    CHECK(std::isnan(relative_difference<T>(a, whole)));
    CHECK(std::isnan(relative_difference<T>(whole, a)));
  });
}

TEST_CASE("An infinite entry differs from a finite one by infinity, and from its like by NaN") {
  Matrix<double> a = counted<double>();
  Matrix<double> b = a;
  a(4, 5) = infinity;
  CHECK(largest_magnitude<double>(a) == infinity);
  CHECK(largest_difference<double>(a, b) == infinity);
  b(4, 5) = -infinity;
  CHECK(largest_difference<double>(a, b) == infinity);
  b(4, 5) = infinity;
  CHECK(std::isnan(largest_difference<double>(a, b)));
}

TEST_CASE("Entries are compared in fp64: 2^24 and 2^24 + 1 differ, though fp32 cannot hold both") {
  Matrix<double> a(1, 1), b(1, 1);
  a << 0x1p24;
  b << 0x1p24 + 1;
  CHECK(largest_difference<double>(a, b) == 1);
}

TEMPLATE_TEST_CASE("The analyses built on it keep a NaN from any place", "", float, double) {
  using T = TestType;
  const Matrix<T> whole = counted<T>();
  const Positions at = consecutive_positions(largest_count);
  const std::vector<double> norms = row_norms(whole);
  for_every_place<T>([&](const Matrix<T>& a) {
    CHECK(std::isnan(toeplitz_residual(a, at, at)));
    CHECK(std::isnan(shift_error<T>(a, whole, Precision::fp64).largest));
    CHECK(std::isnan(shift_error<T>(whole, a, Precision::fp64).largest));
    CHECK(std::isnan(shift_error<T>(a, whole, Precision::fp64).ulps));
    CHECK(std::isnan(invariance_bound<T>(a, whole, {})));
    CHECK(std::isnan(invariance_bound<T>(whole, a, {})));
    CHECK(std::isnan(norm_ratios(norms, row_norms(a)).least));
    CHECK(std::isnan(norm_ratios(norms, row_norms(a)).greatest));
    CHECK(std::isnan(norm_ratios(row_norms(a), norms).greatest));
    CHECK(std::isnan(cosine_law_residual<T>(a, whole, whole)));
    CHECK(std::isnan(cosine_law_residual<T>(whole, a, whole)));
    CHECK(std::isnan(cosine_law_residual<T>(whole, whole, a)));
    CHECK(std::isnan(term_shares<T>({a, whole}).front().largest));
    const Matrix<double> wide = a.template cast<double>();
    const WeightSigns signs = weight_signs(wide, Mask());
    for (const double sign : {signs.negative_share, signs.most_negative, signs.negative_mass,
                              signs.row_sum_min, signs.row_sum_max, signs.row_sum_error})
      CHECK(std::isnan(sign));
    CHECK(std::isnan(mean_half_difference(wide, whole.template cast<double>())));
  });
}

TEMPLATE_TEST_CASE("The tests' own comparators see a NaN in any place", "", float, double) {
  using T = TestType;
  const Matrix<T> whole = counted<T>();
  CHECK(test::largest_difference(whole, whole) == 0);
  for_every_place<T>([&](const Matrix<T>& a) {
    CHECK_FALSE(test::largest_difference(a, whole) < infinity);
    CHECK_FALSE(test::largest_difference(whole, a) < infinity);
    CHECK_FALSE(test::near(a.template cast<double>(), whole.template cast<double>()));
    CHECK_FALSE(test::near(whole.template cast<double>(), a.template cast<double>()));
  });
}

TEMPLATE_TEST_CASE("No feature map turns a NaN into a number", "", float, double) {
  using T = TestType;
  const EluPlusOne<T> elu;
  const Relu<T> relu;
  for_every_place<T>([&](const Matrix<T>& a) {
    CHECK(std::isnan(largest_magnitude<T>(elu.of_queries(a))));
    CHECK(std::isnan(largest_magnitude<T>(relu.of_queries(a))));
  });
}
