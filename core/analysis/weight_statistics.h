#pragma once

#include <vector>

#include "core/attention/mask.h"
#include "core/types.h"

namespace orrery {

// Statistics of attention weights that need not be probabilities: A [N_q, N_k], 0 where masked.

/// Signs and row sums of a map of weights.
struct WeightSigns {
  double negative_share{};  ///< of the visible weights, how many are below 0
  double most_negative{};   ///< the least weight, 0 when none is negative
  double negative_mass{};   ///< Σ|negative| / Σ|all|
  double row_sum_min{};
  double row_sum_max{};
  double row_sum_error{};  ///< max_m |1 − Σ_n A_mn|
};

/// Rows that see no key are left out. A NaN anywhere makes what depends on it NaN. All NaN when no
/// weight is visible.
WeightSigns weight_signs(const Matrix<double>& weights, const Mask& mask);

/// Σ_n A_mn of every query. [N_q]
std::vector<double> row_sums(const Matrix<double>& weights);
/// Σ|negative| / Σ|all| of every query, 0 for a row of zeros. [N_q]
std::vector<double> negative_mass_by_row(const Matrix<double>& weights);

/// Mean over queries of ½ Σ_n |A_mn − B_mn|: for probabilities the total variation, 0 … 1.
/// Throws UsageError when the shapes differ.
double mean_half_difference(const Matrix<double>& a, const Matrix<double>& b);

/// Mean weight at distances r = 0 … N/2 − 1 behind the query, over the queries of the second half,
/// all of which have so many keys behind them. weights [N, N] at consecutive positions.
std::vector<double> mean_weight_by_distance(const Matrix<double>& weights);

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
