#pragma once

#include <vector>

#include "core/kernels/tiles.h"
#include "core/product.h"
#include "core/transformer/weights.h"
#include "core/types.h"

namespace orrery {

/// Products of the matrices of a training step, which are small and change with every step: by the
/// kernels of attention's tiles. Sums run in order in T, with fused multiply-adds where the CPU has
/// them. The factor on the right is laid out anew where that is worth it, in memory that is
/// kept for the next product.
template <class T>
class TileProducts {
 public:
  /// c = a b. [rows of a, columns of b]
  void times(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c, Into into = Into::set);
  /// c = a bᵀ. [rows of a, rows of b]
  void times_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                       Into into = Into::set);
  /// c = aᵀ b. [columns of a, columns of b]
  void transpose_times(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                       Into into = Into::set);

  /// The rows of b as columns of panels, until the next call: TileKernels::pack_transpose.
  const T* packed_transpose(const MatrixIn<T>& b);

 private:
  void multiply(kernels::TileProduct<T> p, const MatrixIn<T>& b);
  T* room(Index rows, Index columns);

  std::vector<T> room_{};   ///< panels
  Matrix<T> transposed_{};  ///< a factor on the left
};

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
