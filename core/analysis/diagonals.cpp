#include "core/analysis/diagonals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/analysis/largest.h"
#include "core/attention/logit_factors.h"
#include "core/errors.h"

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

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
constexpr T none_yet = std::numeric_limits<T>::infinity();

/// NaN, once met, stays.
template <class T>
T lower(T a, T b) {
  return b < a || std::isnan(b) ? b : a;
}

template <class T>
T higher(T a, T b) {
  return b > a || std::isnan(b) ? b : a;
}

/// Adds `count` numbers to sums and extents, each to its own.
template <class T>
void see(Index count, const T* values, double* sum, T* low, T* high) {
  for (Index j = 0; j < count; ++j) sum[j] += static_cast<double>(values[j]);
  for (Index j = 0; j < count; ++j) low[j] = lower(low[j], values[j]);
  for (Index j = 0; j < count; ++j) high[j] = higher(high[j], values[j]);
}

/// use(keys) for runs of keys that a query sees.
template <class Use>
void each_run(const Mask& mask, Index query, Index keys, Use use) {
  const VisibleKeys range = mask.keys_of(query, keys);
  if (range.all) {
    if (range.first < range.end) use(range);
    return;
  }
  for (Index j = range.first; j < range.end; ++j) {
    if (!mask.allows(query, j)) continue;
    const Index first = j;
    while (j < range.end && mask.allows(query, j)) ++j;
    use(VisibleKeys{first, j, true});
  }
}

}  // namespace

template <class T>
MapReduction<T>::MapReduction(Index queries, Index keys, Index cell)
    : queries_(queries),
      keys_(keys),
      sum_(at(keys), 0.0),
      low_(at(keys), none_yet<T>),
      high_(at(keys), -none_yet<T>),
      count_(at((keys + cell - 1) / cell), 0.0),
      diagonal_sum_(at(queries + keys - 1), 0.0),
      diagonal_count_change_(at(queries + keys), 0.0),
      diagonal_low_(at(queries + keys - 1), none_yet<T>),
      diagonal_high_(at(queries + keys - 1), -none_yet<T>) {
  const Index rows = (queries + cell - 1) / cell, columns = (keys + cell - 1) / cell;
  map_ = {cell, Matrix<T>::Zero(rows, columns), Matrix<T>::Zero(rows, columns),
          Matrix<T>::Zero(rows, columns), Matrix<bool>::Constant(rows, columns, false)};
}

template <class T>
void MapReduction<T>::add(const MatrixIn<T>& rows, const Mask& mask) {
  check_invariant(rows.cols() == keys_ && row_ + rows.rows() <= queries_,
                  "a map is reduced row by row, each once");
  mask.check_shape(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const T* const row = rows.row(i).data();
    each_run(mask, i, keys_, [&](const VisibleKeys& keys) { add_row(row, keys); });
    ++row_;
    if (row_ % map_.cell == 0 || row_ == queries_) finish_cells();
  }
}

template <class T>
void MapReduction<T>::add_row(const T* row, const VisibleKeys& keys) {
  const Index count = keys.end - keys.first;
  const std::size_t key = at(keys.first);
  see(count, row + keys.first, &sum_[key], &low_[key], &high_[key]);
  const std::size_t diagonal = at(keys.first - row_ + queries_ - 1);
  see(count, row + keys.first, &diagonal_sum_[diagonal], &diagonal_low_[diagonal],
      &diagonal_high_[diagonal]);
  diagonal_count_change_[diagonal] += 1;
  diagonal_count_change_[diagonal + at(count)] -= 1;
  count_in_cells(keys);
}

template <class T>
void MapReduction<T>::count_in_cells(const VisibleKeys& keys) {
  for (Index c = keys.first / map_.cell; c * map_.cell < keys.end; ++c) {
    const Index first = std::max<Index>(keys.first, c * map_.cell);
    const Index end = std::min<Index>(keys.end, (c + 1) * map_.cell);
    count_[at(c)] += static_cast<double>(end - first);
  }
}

template <class T>
void MapReduction<T>::finish_cells() {
  for (Index c = 0; c < map_.mean.cols(); ++c) finish_cell(c);
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(low_.begin(), low_.end(), none_yet<T>);
  std::fill(high_.begin(), high_.end(), -none_yet<T>);
  std::fill(count_.begin(), count_.end(), 0.0);
}

template <class T>
void MapReduction<T>::finish_cell(Index column) {
  if (count_[at(column)] == 0) return;
  const Index row = (row_ - 1) / map_.cell;
  double sum = 0;
  T low = none_yet<T>, high = -none_yet<T>;
  for (Index j = column * map_.cell; j < std::min<Index>(keys_, (column + 1) * map_.cell); ++j) {
    sum += sum_[at(j)];
    low = lower(low, low_[at(j)]);
    high = higher(high, high_[at(j)]);
  }
  map_.mean(row, column) = static_cast<T>(sum / count_[at(column)]);
  map_.low(row, column) = low;
  map_.high(row, column) = high;
  map_.seen(row, column) = true;
}

template <class T>
DiagonalExtents MapReduction<T>::diagonals() const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  DiagonalExtents found;
  double count = 0;
  for (std::size_t r = 0; r < diagonal_sum_.size(); ++r) {
    count += diagonal_count_change_[r];
    found.count.push_back(count);
    found.mean.push_back(count > 0 ? diagonal_sum_[r] / count : none);
    found.low.push_back(count > 0 ? static_cast<double>(diagonal_low_[r]) : none);
    found.high.push_back(count > 0 ? static_cast<double>(diagonal_high_[r]) : none);
  }
  return found;
}

template class MapReduction<float>;
template class MapReduction<double>;

}  // namespace orrery
