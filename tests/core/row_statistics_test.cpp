#include "core/analysis/weight_statistics.h"

#include <catch2/catch.hpp>

using namespace orrery;

namespace {

Matrix<double> three_rows() {
  Matrix<double> weights(3, 3);
  weights << 1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5;
  return weights;
}

const Positions at{10, 11, 14};

}  // namespace

TEST_CASE("By hand: entropy in bits, mean distance in tokens, and the strongest key") {
  const Matrix<double> weights = three_rows();
  const double entropy[] = {0, 1, 1.5};
  const double distance[] = {0, 0.5, 0.25 * 4 + 0.25 * 3};
  const Index strongest[] = {0, 0, 2};
  for (Index i = 0; i < 3; ++i) {
    const RowStatistics s = row_statistics(weights, i, at[static_cast<std::size_t>(i)], at);
    CHECK(s.entropy_bits == entropy[i]);
    CHECK(s.mean_distance == distance[i]);
    CHECK(s.strongest == strongest[i]);
  }
}
