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

/// The same layer, which takes no time to arrange for each product: for weights that are used again.
/// As it is where its outputs are no multiple of kernels::packed_outputs. Products keep their bytes.
template <class T>
LinearWeights<T> packed(const LinearWeights<T>& w);

}  // namespace orrery
