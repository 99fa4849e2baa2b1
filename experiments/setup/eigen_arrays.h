#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/mask.h"
#include "core/encodings/settings.h"
#include "experiments/model/experiment.h"

namespace orrery {

// Matrices of the core to arrays of a result, and tensors of the user to matrices.

using ArrayPtr = std::shared_ptr<const Array>;

/// A matrix as an array of a result, in its own precision. axes names rows and columns.
template <class T>
ArrayPtr to_array(const Matrix<T>& values, std::string name, std::string description,
                  std::vector<std::string> axes, FigureRole role = {});

/// 1 where one of n queries does not see one of n keys, [n, n]; null when every one sees all.
/// Throws UsageError when the mask has another shape.
ArrayPtr mask_array(const Mask& mask, Index n);

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
Matrix<double> to_matrix(const Tensor& tensor);

}  // namespace orrery
