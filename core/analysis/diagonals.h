#pragma once

#include <vector>

#include "core/attention/mask.h"
#include "core/types.h"

namespace orrery {

// A score that depends on m − n only is constant along each diagonal: a Toeplitz matrix.

/// The largest difference of two cells with the same m − n; 0 for an exactly relative map. A NaN
/// anywhere gives NaN. values [N_q, N_k]. Throws UsageError on shapes that do not fit.
template <class T>
double toeplitz_residual(const Matrix<T>& values, PositionsIn m, PositionsIn n);

/// A map by relative position, over the cells that the mask allows. A NaN among those of a diagonal
/// gives NaN for it.
struct DiagonalProfile {
  Positions r{};                ///< m − n, ascending, those with a cell
  std::vector<double> count{};  ///< of cells
  std::vector<double> mean{};
  std::vector<double> deviation{};  ///< standard deviation
  std::vector<double> low{};        ///< the smallest
  std::vector<double> high{};       ///< the largest
};

/// Throws UsageError on shapes that do not fit. Cost: N_q·N_k for consecutive positions, otherwise
/// times the logarithm of the number of diagonals. Memory: that of the profile.
template <class T>
DiagonalProfile diagonal_profile(const MatrixIn<T>& values, PositionsIn m, PositionsIn n,
                                 const Mask& mask = {});

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
