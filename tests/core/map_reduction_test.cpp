#include "core/analysis/diagonals.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"

using namespace orrery;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Numbers whose sums are exact in any order.
Matrix<double> numbers(Index rows, Index columns) {
  Matrix<double> map(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      map(i, j) = static_cast<double>((i * 37 + j * 101) % 64 - 32) / 8;
  return map;
}

struct Extent {
  double count{0}, sum{0};
  Smallest low{std::numeric_limits<double>::infinity()};
  Largest high{-std::numeric_limits<double>::infinity()};
  void see(double value) {
    count += 1;
    sum += value;
    low.see(value);
    high.see(value);
  }
};

Mask some_mask(Index queries, Index keys) {
  Mask::Matrix allowed(queries, keys);
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j) allowed(i, j) = (i * 7 + j * 3) % 5 < 3 && j / 4 != 1;
  return Mask(allowed);
}

template <class T>
MapReduction<T> reduced(const Matrix<T>& map, const Mask& mask, Index cell, Index at_a_time) {
  MapReduction<T> reduction(map.rows(), map.cols(), cell);
  for (Index first = 0; first < map.rows(); first += at_a_time) {
    const Index count = std::min<Index>(at_a_time, map.rows() - first);
    reduction.add(map.middleRows(first, count), mask.of_queries(first, count));
  }
  return reduction;
}

void check_every_entry(const Matrix<double>& map, const Mask& mask, Index cell, Index at_a_time) {
  const MapReduction<double> reduction = reduced(map, mask, cell, at_a_time);
  const ReducedMap<double> cells = reduction.map();
  const DiagonalExtents diagonals = reduction.diagonals();
  Matrix<double> counted = Matrix<double>::Zero(cells.mean.rows(), cells.mean.cols());
  for (Index a = 0; a < cells.mean.rows(); ++a)
    for (Index b = 0; b < cells.mean.cols(); ++b) {
      Extent extent;
      for (Index i = a * cell; i < std::min<Index>(map.rows(), (a + 1) * cell); ++i)
        for (Index j = b * cell; j < std::min<Index>(map.cols(), (b + 1) * cell); ++j)
          if (mask.allows(i, j)) extent.see(map(i, j));
      CHECK(cells.seen(a, b) == (extent.count > 0));
      CHECK(cells.mean(a, b) == (extent.count > 0 ? extent.sum / extent.count : 0));
      CHECK(cells.low(a, b) == (extent.count > 0 ? extent.low.value() : 0));
      CHECK(cells.high(a, b) == (extent.count > 0 ? extent.high.value() : 0));
    }
  REQUIRE(diagonals.count.size() == static_cast<std::size_t>(map.rows() + map.cols() - 1));
  for (Index r = 1 - map.rows(); r < map.cols(); ++r) {
    Extent extent;
    for (Index i = std::max<Index>(0, -r); i < map.rows() && i + r < map.cols(); ++i)
      if (mask.allows(i, i + r)) extent.see(map(i, i + r));
    const auto at = static_cast<std::size_t>(r + map.rows() - 1);
    CHECK(diagonals.count[at] == extent.count);
    if (extent.count == 0) {
      CHECK(std::isnan(diagonals.mean[at]));
      continue;
    }
    CHECK(diagonals.mean[at] == extent.sum / extent.count);
    CHECK(diagonals.low[at] == extent.low.value());
    CHECK(diagonals.high[at] == extent.high.value());
  }
}

}  // namespace

TEST_CASE("A map in cells has the mean and the extremes of every entry that is seen") {
  const Positions m = consecutive_positions(23), n = consecutive_positions(31);
  const Matrix<double> map = numbers(23, 31);
  for (const Mask& mask :
       {Mask(), Mask::causal(m, n), Mask::sliding_window(m, n, 3), some_mask(23, 31)})
    for (const Index cell : {1, 4, 5, 40})
      for (const Index at_a_time : {1, 7, 23}) check_every_entry(map, mask, cell, at_a_time);
}

TEST_CASE("A NaN of a map shows in its cell and on its diagonal, and nowhere else") {
  Matrix<double> map = numbers(8, 8);
  map(5, 2) = not_a_number;
  map(5, 3) = 1e9;
  const MapReduction<double> reduction = reduced(map, Mask(), 4, 3);
  const ReducedMap<double> cells = reduction.map();
  CHECK(std::isnan(cells.mean(1, 0)));
  CHECK(std::isnan(cells.low(1, 0)));
  CHECK(std::isnan(cells.high(1, 0)));
  CHECK(cells.mean.array().isNaN().count() == 1);
  const DiagonalExtents diagonals = reduction.diagonals();
  CHECK(std::isnan(diagonals.high[4]));
  CHECK(std::count_if(diagonals.mean.begin(), diagonals.mean.end(),
                      [](double x) { return std::isnan(x); }) == 1);
}

TEST_CASE("Means of fp32 maps are summed in fp64") {
  Matrix<float> map = Matrix<float>::Constant(64, 64, 1.0F / 3.0F);
  map(0, 0) = 1e7F;
  const ReducedMap<float> cells = reduced(map, Mask(), 64, 10).map();
  CHECK(cells.mean(0, 0) ==
        static_cast<float>((1e7 + 4095 * static_cast<double>(1.0F / 3.0F)) / 4096));
}
