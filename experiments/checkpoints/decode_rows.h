#pragma once

#include <string_view>

#include "core/transformer/weights.h"
#include "core/types.h"
#include "experiments/checkpoints/places.h"

namespace orrery {

/// A tensor's numbers as a matrix: the last dimension runs along a row.
struct MatrixSize {
  Index rows{};
  Index columns{};
};

/// [a, b, c] is a·b rows of c numbers; a vector is one row, a scalar one number.
MatrixSize matrix_size(const StoredTensor& tensor);

/// Decodes rows first, first + 1, … of a tensor into the rows of `out`.
///
/// out  [rows to decode, matrix_size(tensor).columns]; other sizes break an invariant
/// threads  that share the rows; the numbers do not depend on it
/// Throws DataError, naming tensor and type: a type that is not decoded. Throws DataError, naming
/// the first index: a NaN or an infinity.
/// Accuracy: F32, F16, BF16 and F64 exactly, but for F64 as float, which is rounded to the nearest;
/// blocks as decode_gguf_blocks has them, the same numbers as float and as double.
/// Cost: one pass over the bytes; no copy of them.
/// @param name  the tensor's name in messages, with its file
template <class T>
void decode_rows(const StoredTensor& tensor, std::string_view name, Index first, MatrixOut<T> out,
                 int threads = 1);

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
