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
void each_cell(const MatrixIn<T>& values, PositionsIn m, PositionsIn n, const Mask& mask,
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

/// Extremes, mean and sum of squared deviations of values added one by one (Welford).
struct Running {
  double count{};
  double mean{};
  double squares{};
  Smallest low{std::numeric_limits<double>::infinity()};
  Largest high{-std::numeric_limits<double>::infinity()};

  void add(double value) {
    count += 1;
    const double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
    low.see(value);
    high.see(value);
  }
};

void append(DiagonalProfile& profile, Position r, const Running& running) {
  profile.r.push_back(r);
  profile.count.push_back(running.count);
  profile.mean.push_back(running.mean);
  profile.deviation.push_back(std::sqrt(running.squares / running.count));
  profile.low.push_back(running.low.value());
  profile.high.push_back(running.high.value());
}

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
  each_cell<T>(values, m, n, Mask(), [&](Position r, double value) {
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
DiagonalProfile diagonal_profile(const MatrixIn<T>& values, PositionsIn m, PositionsIn n,
                                 const Mask& mask) {
  DiagonalProfile profile;
  if (consecutive_distances(m, n) && !m.empty() && !n.empty()) {
    const Position lowest = relative_position(m.front(), n.back());
    std::vector<Running> diagonals(m.size() + n.size() - 1);
    each_cell<T>(values, m, n, mask, [&](Position r, double value) {
      diagonals[static_cast<std::size_t>(r - lowest)].add(value);
    });
    for (std::size_t i = 0; i < diagonals.size(); ++i)
      if (diagonals[i].count > 0) append(profile, lowest + static_cast<Position>(i), diagonals[i]);
    return profile;
  }
  std::map<Position, Running> diagonals;
  each_cell<T>(values, m, n, mask, [&](Position r, double value) { diagonals[r].add(value); });
  for (const auto& [r, running] : diagonals) append(profile, r, running);
  return profile;
}

template double toeplitz_residual(const Matrix<float>&, PositionsIn, PositionsIn);
template double toeplitz_residual(const Matrix<double>&, PositionsIn, PositionsIn);
template DiagonalProfile diagonal_profile<float>(const MatrixIn<float>&, PositionsIn, PositionsIn,
                                                 const Mask&);
template DiagonalProfile diagonal_profile<double>(const MatrixIn<double>&, PositionsIn, PositionsIn,
                                                  const Mask&);

}  // namespace orrery
