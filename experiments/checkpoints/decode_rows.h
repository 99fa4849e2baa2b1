#pragma once

#include <string_view>

#include "core/types.h"
#include "experiments/checkpoints/stored_tensors.h"

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

}  // namespace orrery
