#include "core/analysis/row_statistics.h"

#include <cmath>

namespace orrery {

template <class T>
RowStatistics row_statistics(const Matrix<T>& weights, Index row, Position m, PositionsIn n) {
  RowStatistics s;
  for (Index j = 0; j < weights.cols(); ++j) {
    const auto w = static_cast<double>(weights(row, j));
    if (!(w <= 0)) s.entropy_bits -= w * std::log2(w);
    s.mean_distance +=
        w * std::abs(static_cast<double>(relative_position(m, n[static_cast<std::size_t>(j)])));
    if (weights(row, j) > weights(row, s.strongest)) s.strongest = j;
  }
  return s;
}

template RowStatistics row_statistics(const Matrix<float>&, Index, Position, PositionsIn);
template RowStatistics row_statistics(const Matrix<double>&, Index, Position, PositionsIn);

}  // namespace orrery
