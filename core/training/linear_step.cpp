#include "core/training/linear_step.h"

namespace orrery {

template <class T>
void linear_forward(TileProducts<T>& products, const LinearWeights<T>& w, const MatrixIn<T>& x,
                    Matrix<T>& y) {
  y.resize(x.rows(), w.W.rows());
  products.times_transpose(x, w.W, y);
  if (w.b.size() > 0) y.rowwise() += w.b.row(0);
}

template <class T>
void pull_back_linear(TileProducts<T>& products, const LinearWeights<T>& w, const MatrixIn<T>& x,
                      const MatrixIn<T>& d_y, LinearWeights<T>& d_w, Matrix<T>& d_x, Into into) {
  products.transpose_times(d_y, x, d_w.W, Into::add);
  if (w.b.size() > 0) d_w.b += d_y.colwise().sum();
  if (into == Into::set) d_x.resize(x.rows(), x.cols());
  products.times(d_y, w.W, d_x, into);
}

#define ORRERY_INSTANTIATE(T)                                                                   \
  template void linear_forward(TileProducts<T>&, const LinearWeights<T>&, const MatrixIn<T>&,   \
                               Matrix<T>&);                                                     \
  template void pull_back_linear(TileProducts<T>&, const LinearWeights<T>&, const MatrixIn<T>&, \
                                 const MatrixIn<T>&, LinearWeights<T>&, Matrix<T>&, Into)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
