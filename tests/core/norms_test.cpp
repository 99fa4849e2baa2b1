#include "core/analysis/invariance.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/errors.h"

using namespace orrery;

TEST_CASE("Norms by hand: (3, 4) has 5; huge fp32 entries do not overflow") {
  Matrix<float> x(2, 2);
  x << 3, 4, 3e38f, 0;
  const std::vector<double> norms = row_norms(x);
  CHECK(norms[0] == 5);
  CHECK(norms[1] == Approx(3e38));
}

TEST_CASE("Ratios: mean, least and greatest by hand; a zero vector or a NaN gives NaN") {
  const RatioSpread spread = norm_ratios({1, 2, 4}, {2, 2, 2});
  CHECK(spread.mean == Approx(3.5 / 3));
  CHECK(spread.least == 0.5);
  CHECK(spread.greatest == 2);
  CHECK(std::isnan(norm_ratios({1, 0}, {1, 0}).greatest));
  CHECK(std::isnan(norm_ratios({1, 1}, {1, std::nan("")}).least));
  CHECK_THROWS_AS(norm_ratios({1}, {1, 2}), UsageError);
  CHECK_THROWS_AS(norm_ratios({}, {}), UsageError);
}

TEST_CASE("The cosine law's residual is 0 for a sum and the error over (‖x‖ + ‖p‖)² otherwise") {
  Matrix<double> x(2, 2), p(2, 2);
  x << 3, 4, 0, 0;
  p << 0, 5, 0, 0;
  Matrix<double> sum = x + p;
  CHECK(cosine_law_residual(sum, x, p) == 0);
  sum(0, 0) = 4;  // 16 + 81 instead of 9 + 81, over (5 + 5)²
  CHECK(cosine_law_residual(sum, x, p) == Approx(0.07));
  CHECK_THROWS_AS(cosine_law_residual(sum, x, Matrix<double>(1, 2)), UsageError);
}

TEST_CASE("Bounds grow with the coarseness of the arithmetic") {
  const double fp64 = rotation_norm_bound<double>(64, {});
  const double fp32 = rotation_norm_bound<float>(64, {});
  const double bf16 = rotation_norm_bound<float>(64, {Precision::bf16, {Stage::cos_sin}});
  CHECK(fp64 < 1e-14);
  CHECK(fp32 == Approx(8 * 0x1p-24).epsilon(1e-6));
  CHECK(bf16 == Approx(4 * 0x1p-8 + 8 * 0x1p-24));
}
