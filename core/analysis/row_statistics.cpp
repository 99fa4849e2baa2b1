#include "core/analysis/row_statistics.h"

#include <cmath>

namespace orrery {

template <class T>
RowStatistics row_statistics(const Matrix<T>& weights, PositionsIn positions, Index row) {
  RowStatistics s;
  for (Index j = 0; j < weights.cols(); ++j) {
    const auto w = static_cast<double>(weights(row, j));
    if (!(w <= 0)) s.entropy_bits -= w * std::log2(w);
    s.mean_distance +=
        w * std::abs(static_cast<double>(relative_position(
                positions[static_cast<std::size_t>(row)], positions[static_cast<std::size_t>(j)])));
    if (weights(row, j) > weights(row, s.strongest)) s.strongest = j;
  }
  return s;
}

template RowStatistics row_statistics(const Matrix<float>&, PositionsIn, Index);
template RowStatistics row_statistics(const Matrix<double>&, PositionsIn, Index);

}  // namespace orrery
