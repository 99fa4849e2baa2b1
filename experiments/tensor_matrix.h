#pragma once

#include <string>
#include <string_view>

#include "core/encodings/settings.h"
#include "experiments/experiment.h"

namespace orrery {

/// The tensor that a file parameter named, or null.
const Tensor* tensor_of(const Inputs& inputs, std::string_view key);

/// "q.npy of shape [4, 64]": for messages.
std::string shape_text(const Tensor& tensor);

/// Heads of a [N, d] or [heads, N, d] array: 1 or its first dimension. Throws DataError for another
/// rank.
std::size_t heads_of(const Tensor& tensor);

/// One head of such an array, at most `most_rows` rows of it. Throws DataError when there is no
/// such head.
template <class T>
Matrix<T> head_matrix(const Tensor& tensor, std::size_t head, std::size_t most_rows);

/// Matrices [N, d] in an array of rank 2 or more: the product of its other dimensions. Throws
/// DataError for rank 1.
std::size_t matrices_in(const Tensor& tensor);

/// The matrix [N, d] of that number, counted with the last of the other dimensions fastest.
template <class T>
Matrix<T> matrix_in(const Tensor& tensor, std::size_t number);

/// A table or vector, which becomes one row. Throws DataError for rank 0 or above 2.
Matrix<double> table_matrix(const Tensor& tensor);

}  // namespace orrery
