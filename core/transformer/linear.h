#pragma once

#include "core/transformer/weights.h"

namespace orrery {

/// A linear layer of every row.
///
/// y = x Wᵀ + b
///
/// x [N, in], y [N, out]; as many columns in x as in W.
/// Accuracy: sums in T over blocks of 192 channels, added up in order. No bit of a row depends on
/// the rows beside it or on the number of threads.
/// Cost: 2 N·in·out operations; a copy of x.
template <class T>
Matrix<T> linear(const LinearWeights<T>& w, const MatrixIn<T>& x, int threads);

/// ∂loss by x, from that by linear(w, x): d_y W. [N, in]
///
/// @param d_w  gains d_yᵀ x, and the sum of the rows of d_y where w has a b
template <class T>
Matrix<T> pull_back_linear(const LinearWeights<T>& w, const MatrixIn<T>& x, const MatrixIn<T>& d_y,
                           LinearWeights<T>& d_w);

}  // namespace orrery
