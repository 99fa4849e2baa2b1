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

}  // namespace orrery
