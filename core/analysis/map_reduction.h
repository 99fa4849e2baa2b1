#pragma once

#include <vector>

#include "core/attention/mask.h"
#include "core/types.h"

namespace orrery {

/// A map [N_q, N_k] in cells of cell × cell entries; those at the end may be smaller. Every entry
/// that the mask allows counts once. A NaN gives NaN.
template <class T>
struct ReducedMap {
  Index cell{};
  Matrix<T> mean;     ///< [⌈N_q/cell⌉, ⌈N_k/cell⌉], summed in fp64; 0 where nothing is seen
  Matrix<T> low;      ///< the smallest; 0 where nothing is seen
  Matrix<T> high;     ///< the largest; 0 where nothing is seen
  Matrix<bool> seen;  ///< whether any entry is
};

/// Statistics of a map along each diagonal: by key index minus query index, j − i, from 1 − N_q to
/// N_k − 1.
struct DiagonalExtents {
  std::vector<double> count{};  ///< of entries that the mask allows
  std::vector<double> mean{};   ///< NaN for no entry, as low and high
  std::vector<double> low{};
  std::vector<double> high{};
};

/// Reduces a map of which some rows come at a time. Memory: O((N_q/cell)·(N_k/cell) + N_q + N_k).
template <class T>
class MapReduction {
 public:
  /// @param cell  entries along a side of a cell, ≥ 1
  MapReduction(Index queries, Index keys, Index cell);

  /// The rows that follow those given before.
  /// @param mask  of these rows
  void add(const MatrixIn<T>& rows, const Mask& mask);

  /// Once all rows were given.
  ReducedMap<T> map() const { return map_; }
  DiagonalExtents diagonals() const;

 private:
  void add_row(const T* row, const VisibleKeys& keys);
  void count_in_cells(const VisibleKeys& keys);
  void finish_cells();
  void finish_cell(Index column);

  Index queries_, keys_;
  Index row_{0};  ///< the next
  ReducedMap<T> map_;
  // Statistics of the row of cells that is being filled, by key.
  std::vector<double> sum_;
  std::vector<T> low_, high_;
  std::vector<double> count_;  ///< of its entries, by cell
  // By diagonal.
  std::vector<double> diagonal_sum_, diagonal_count_change_;
  std::vector<T> diagonal_low_, diagonal_high_;
};

}  // namespace orrery
