#pragma once

#include "core/types.h"

namespace orrery {

/// Statistics of the weights of one query.
struct RowStatistics {
  double entropy_bits{};   ///< −Σ_n a_mn log2 a_mn: 0 for one key, log2 N for all alike
  double mean_distance{};  ///< Σ_n a_mn |m − n|, in tokens
  Index strongest{};       ///< the key of the largest weight, the first of equals
};

/// @param weights  attention weights, [N_q, N_k], rows summing to 1
/// @param m  the position of the row's query
/// @param n  the positions of the keys, [N_k]
template <class T>
RowStatistics row_statistics(const Matrix<T>& weights, Index row, Position m, PositionsIn n);

}  // namespace orrery
