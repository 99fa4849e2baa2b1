#pragma once

#include "core/training/tile_product.h"
#include "core/transformer/weights.h"

namespace orrery {

/// linear() on the products of training steps, which pack no weights for later: y [N, out], made as
/// large as it has to be.
template <class T>
void linear_forward(TileProducts<T>& products, const LinearWeights<T>& w, const MatrixIn<T>& x,
                    Matrix<T>& y);

/// d_x [N, in] becomes or gains d_y W, ∂loss by x from that by linear_forward(w, x).
///
/// @param d_w  gains d_yᵀ x, and the sum of the rows of d_y where w has a b
template <class T>
void pull_back_linear(TileProducts<T>& products, const LinearWeights<T>& w, const MatrixIn<T>& x,
                      const MatrixIn<T>& d_y, LinearWeights<T>& d_w, Matrix<T>& d_x,
                      Into into = Into::set);

}  // namespace orrery
