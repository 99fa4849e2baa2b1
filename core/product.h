#pragma once

#include "core/types.h"

namespace orrery {

/// What becomes of a matrix that a result is written to.
enum class Into {
  set,  ///< it becomes the result
  add,  ///< it gains it
};

// Eigen compiles a matrix product anew, in about a second, wherever one is written with `*`. These
// functions are compiled once, for float and double, and give the same bits as the expressions.

/// a b, [rows of a, columns of b], as `Matrix<T> c = a * b` computes it. As many columns in a as
/// rows in b.
template <class T>
Matrix<T> product(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// a bᵀ, [rows of a, rows of b]. As many columns in a as in b.
template <class T>
Matrix<T> product_with_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// aᵀ b, [columns of a, columns of b]. As many rows in a as in b.
template <class T>
Matrix<T> transposed_product(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// a b as `c = a * b` computes it for a c that exists: through a column-major temporary, which
/// rounds sums in another order than product(a, b) and so may differ in the last place.
template <class T>
Matrix<T> assigned_product(const MatrixIn<T>& a, const MatrixIn<T>& b);

}  // namespace orrery
