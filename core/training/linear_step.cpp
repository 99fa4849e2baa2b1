#include "core/training/linear_step.h"

#include "core/training/tile_product.h"

namespace orrery {

template <class T>
Matrix<T> linear_forward(const LinearWeights<T>& w, const MatrixIn<T>& x) {
  Matrix<T> y = tile_product_with_transpose<T>(x, w.W);
  if (w.b.size() > 0) y.rowwise() += w.b.row(0);
  return y;
}

template <class T>
Matrix<T> pull_back_linear(const LinearWeights<T>& w, const MatrixIn<T>& x, const MatrixIn<T>& d_y,
                           LinearWeights<T>& d_w) {
  add_transposed_tile_product<T>(d_y, x, d_w.W);
  if (w.b.size() > 0) d_w.b += d_y.colwise().sum();
  return tile_product<T>(d_y, w.W);
}

template Matrix<float> linear_forward(const LinearWeights<float>&, const MatrixIn<float>&);
template Matrix<double> linear_forward(const LinearWeights<double>&, const MatrixIn<double>&);
template Matrix<float> pull_back_linear(const LinearWeights<float>&, const MatrixIn<float>&,
                                        const MatrixIn<float>&, LinearWeights<float>&);
template Matrix<double> pull_back_linear(const LinearWeights<double>&, const MatrixIn<double>&,
                                         const MatrixIn<double>&, LinearWeights<double>&);

}  // namespace orrery
