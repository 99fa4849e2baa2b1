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

/// A map by relative position: mean and standard deviation of the cells that the mask allows.
struct DiagonalProfile {
  Positions r{};  ///< m − n, ascending, those with a cell
  std::vector<double> mean{};
  std::vector<double> deviation{};
};

/// Throws UsageError on shapes that do not fit. Cost: N_q·N_k·log of the number of diagonals.
template <class T>
DiagonalProfile diagonal_profile(const Matrix<T>& values, PositionsIn m, PositionsIn n,
                                 const Mask& mask = {});

}  // namespace orrery
