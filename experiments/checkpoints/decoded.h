#pragma once

#include "core/transformer/weights.h"
#include "core/types.h"
#include "experiments/checkpoints/placed_tensors.h"

namespace orrery {

/// All rows of a tensor, as many channels each as its other dimensions have together. Empty where
/// there is no tensor. A vector is [1, d]. Throws DataError for a NaN or an infinity.
template <class T>
Matrix<T> decoded(const PlacedTensor& placed, int threads = 1);

/// W [out, in] and b [1, out] of a linear layer, whichever way they are stored.
template <class T>
LinearWeights<T> decoded(const PlacedLinear& placed, int threads = 1);

template <class T>
NormWeights<T> decoded(const PlacedNorm& placed);

}  // namespace orrery
