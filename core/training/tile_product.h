#pragma once

#include "core/types.h"

namespace orrery {

// Products of the matrices of a training step, which are small and change with every step: by
// the kernels of attention's tiles. Sums run in order in T, with fused
// multiply-adds where the CPU has them.

/// c = a b. [rows of a, columns of b]
template <class T>
Matrix<T> tile_product(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// c = a bᵀ. [rows of a, rows of b]
template <class T>
Matrix<T> tile_product_with_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// c ← c + a b.
template <class T>
void add_tile_product(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c);

/// c ← c + aᵀ b.
template <class T>
void add_transposed_tile_product(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c);

}  // namespace orrery
