#include "core/analysis/diagonals.h"

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/analysis/largest.h"
#include "core/attention/logit_factors.h"

namespace orrery {
namespace {

/// visit(r, value) for every cell that the mask allows.
template <class T, class Visit>
void each_cell(const Matrix<T>& values, PositionsIn m, PositionsIn n, const Mask& mask,
               Visit visit) {
  check_positions(m, values.rows());
  check_positions(n, values.cols());
  mask.check_shape(values.rows(), values.cols());
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if (mask.allows(i, j))
        visit(relative_position(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]),
              static_cast<double>(values(i, j)));
}

/// Mean and sum of squared deviations of values added one by one (Welford).
struct Running {
  double count{};
  double mean{};
  double squares{};

  void add(double value) {
    count += 1;
    const double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
};

template <class T>
bool row_has_nan(const T* row, Index count) {
  int found = 0;
  for (Index j = 0; j < count; ++j) found |= static_cast<int>(std::isnan(row[j]));
  return found != 0;
}

template <class T>
double residual_of_any(const Matrix<T>& values, PositionsIn m, PositionsIn n) {
  struct Extent {
    Smallest low;
    Largest high;
  };
  std::map<Position, Extent> diagonals;
  each_cell(values, m, n, Mask(), [&](Position r, double value) {
    Extent& extent =
        diagonals.try_emplace(r, Extent{Smallest(value), Largest(value)}).first->second;
    extent.low.see(value);
    extent.high.see(value);
  });
  Largest largest;
  for (const auto& [r, extent] : diagonals) largest.see(extent.high.value() - extent.low.value());
  return largest.value();
}

/// Diagonal j − i stands at j − i + N_q − 1, so that a row meets its diagonals side by side.
template <class T>
double residual_of_consecutive(const Matrix<T>& values) {
  const Index rows = values.rows(), columns = values.cols();
  if (rows == 0 || columns == 0) return 0;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto diagonals = static_cast<std::size_t>(rows + columns - 1);
  std::vector<T> low(diagonals, infinity), high(diagonals, -infinity);
  for (Index i = 0; i < rows; ++i) {
    const T* row = values.row(i).data();
    T* lowest = low.data() + (rows - 1 - i);
    T* highest = high.data() + (rows - 1 - i);
    for (Index j = 0; j < columns; ++j) {
      lowest[j] = row[j] < lowest[j] ? row[j] : lowest[j];
      highest[j] = row[j] > highest[j] ? row[j] : highest[j];
    }
    if (row_has_nan(row, columns)) return std::numeric_limits<double>::quiet_NaN();
  }
  Largest largest;
  for (std::size_t r = 0; r < diagonals; ++r)
    largest.see(static_cast<double>(high[r]) - static_cast<double>(low[r]));
  return largest.value();
}

}  // namespace

template <class T>
double toeplitz_residual(const Matrix<T>& values, PositionsIn m, PositionsIn n) {
  check_positions(m, values.rows());
  check_positions(n, values.cols());
  return consecutive_distances(m, n) ? residual_of_consecutive(values)
                                     : residual_of_any(values, m, n);
}

template <class T>
DiagonalProfile diagonal_profile(const Matrix<T>& values, PositionsIn m, PositionsIn n,
                                 const Mask& mask) {
  std::map<Position, Running> diagonals;
  each_cell(values, m, n, mask, [&](Position r, double value) { diagonals[r].add(value); });
  DiagonalProfile profile;
  for (const auto& [r, running] : diagonals) {
    profile.r.push_back(r);
    profile.mean.push_back(running.mean);
    profile.deviation.push_back(std::sqrt(running.squares / running.count));
  }
  return profile;
}

template double toeplitz_residual(const Matrix<float>&, PositionsIn, PositionsIn);
template double toeplitz_residual(const Matrix<double>&, PositionsIn, PositionsIn);
template DiagonalProfile diagonal_profile(const Matrix<float>&, PositionsIn, PositionsIn,
                                          const Mask&);
template DiagonalProfile diagonal_profile(const Matrix<double>&, PositionsIn, PositionsIn,
                                          const Mask&);

}  // namespace orrery
