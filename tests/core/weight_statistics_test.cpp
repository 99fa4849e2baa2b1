#include "core/analysis/weight_statistics.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/errors.h"

using namespace orrery;

namespace {

Matrix<double> three_by_three() {
  Matrix<double> a(3, 3);
  a << 1.0, 0.0, 0.0, 0.75, -0.25, 0.0, 0.5, 0.25, 0.5;
  return a;
}

}  // namespace

TEST_CASE("Signs and sums of a map, by hand") {
  const Positions at{0, 1, 2};
  const WeightSigns causal = weight_signs(three_by_three(), Mask::causal(at, at));
  CHECK(causal.negative_share == 1.0 / 6);
  CHECK(causal.most_negative == -0.25);
  CHECK(causal.negative_mass == 0.25 / 3.25);
  CHECK(causal.row_sum_min == 0.5);
  CHECK(causal.row_sum_max == 1.25);
  CHECK(causal.row_sum_error == 0.5);
  CHECK(weight_signs(three_by_three(), {}).negative_share == 1.0 / 9);
}

TEST_CASE("Rows one by one") {
  CHECK(row_sums(three_by_three()) == std::vector<double>{1, 0.5, 1.25});
  CHECK(negative_mass_by_row(three_by_three()) == std::vector<double>{0, 0.25, 0});
}

TEST_CASE("A NaN is not dropped, and rows without keys are left out") {
  Matrix<double> a = three_by_three();
  a(1, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(weight_signs(a, {}).row_sum_min));
  CHECK(std::isnan(weight_signs(a, {}).row_sum_error));
  CHECK(std::isnan(weight_signs(a, {}).negative_mass));
  const Positions m{0, 5}, n{5, 6, 7};
  const WeightSigns one = weight_signs(three_by_three().topRows(2), Mask::causal(m, n));
  CHECK(one.row_sum_max == 0.75);
  CHECK(std::isnan(
      weight_signs(three_by_three().topRows(1), Mask::causal({m.data(), 1}, n)).negative_share));
}

TEST_CASE("Half the summed difference is the total variation of probabilities") {
  Matrix<double> a(1, 2), b(1, 2);
  a << 1, 0;
  b << 0, 1;
  CHECK(mean_half_difference(a, b) == 1);
  CHECK(mean_half_difference(a, a) == 0);
  CHECK_THROWS_AS(mean_half_difference(a, three_by_three()), UsageError);
}

TEST_CASE("Weights by distance are means along diagonals of the second half") {
  Matrix<double> a(4, 4);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) a(i, j) = static_cast<double>(10 * i + j);
  CHECK(mean_weight_by_distance(a) == std::vector<double>{(22 + 33) / 2.0, (21 + 32) / 2.0});
}
