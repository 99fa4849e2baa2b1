#pragma once

#include "core/transformer/weights.h"

namespace orrery {

/// linear() on the products of training steps, which pack no weights.
template <class T>
Matrix<T> linear_forward(const LinearWeights<T>& w, const MatrixIn<T>& x);

/// ∂loss by x, from that by linear_forward(w, x): d_y W. [N, in]
///
/// @param d_w  gains d_yᵀ x, and the sum of the rows of d_y where w has a b
template <class T>
Matrix<T> pull_back_linear(const LinearWeights<T>& w, const MatrixIn<T>& x, const MatrixIn<T>& d_y,
                           LinearWeights<T>& d_w);

}  // namespace orrery
