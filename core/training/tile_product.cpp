#include "core/training/tile_product.h"

namespace orrery {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// From where on a copy of a factor pays: of the right one, which every tile of rows reads, sooner.
constexpr std::size_t far_right = 512, far_left = 2048;  // bytes

/// Whether rows that follow each other by so many bytes, or more, come to lie on each other in the
/// first cache: there are many of them.
template <class T>
bool lies_far_apart(const MatrixIn<T>& a, std::size_t bytes) {
  constexpr Index few_rows = 64;
  return a.rows() > few_rows && size(a.outerStride()) * sizeof(T) >= bytes;
}

template <class T>
kernels::TileProduct<T> product_into(MatrixOut<T> c, Into into) {
  return {.rows = size(c.rows()),
          .columns = size(c.cols()),
          .c = c.data(),
          .c_stride = c.outerStride(),
          .add = into == Into::add};
}

/// Products without rows, columns or terms, whose memory kernels could not step through.
template <class T>
bool done_if_empty(MatrixOut<T> c, Index terms, Into into) {
  if (c.size() > 0 && terms > 0) return false;
  if (into == Into::set) c.setZero();
  return true;
}

}  // namespace

/// For a matrix whose columns come in panels.
template <class T>
T* TileProducts<T>::room(Index rows, Index columns) {
  const std::size_t panel = kernels::tile_kernels<T>().panel;
  const std::size_t needed = (size(columns) + panel - 1) / panel * panel * size(rows);
  if (room_.size() < needed) room_.resize(needed);
  return room_.data();
}

template <class T>
const T* TileProducts<T>::packed_transpose(const MatrixIn<T>& b) {
  T* packed = room(b.cols(), b.rows());
  kernels::tile_kernels<T>().pack_transpose(size(b.rows()), size(b.cols()), b.data(),
                                            b.outerStride(), packed);
  return packed;
}

/// c = a b, where `p` has what belongs to c and a.
template <class T>
void TileProducts<T>::multiply(kernels::TileProduct<T> p, const MatrixIn<T>& b) {
  const auto& kernels = kernels::tile_kernels<T>();
  const auto panel = static_cast<Index>(kernels.panel);
  const bool in_place = !lies_far_apart<T>(b, far_right);
  p.inner = size(b.rows());
  p.b = b.data();
  p.b_stride = in_place ? b.outerStride() : panel;
  p.b_panel = in_place ? panel : panel * b.rows();
  if (!in_place) {
    T* packed = room(b.rows(), b.cols());
    kernels.pack(size(b.rows()), size(b.cols()), b.data(), b.outerStride(), packed);
    p.b = packed;
  }
  kernels.multiply(p);
}

template <class T>
void TileProducts<T>::times(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c, Into into) {
  if (done_if_empty<T>(c, a.cols(), into)) return;
  kernels::TileProduct<T> p = product_into<T>(c, into);
  p.a = a.data();
  p.a_stride = a.outerStride();
  multiply(p, b);
}

template <class T>
void TileProducts<T>::transpose_times(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                                      Into into) {
  if (done_if_empty<T>(c, a.rows(), into)) return;
  kernels::TileProduct<T> p = product_into<T>(c, into);
  p.a = a.data();
  p.a_stride = 1;
  p.a_step = a.outerStride();
  if (lies_far_apart<T>(a, far_left)) {
    transposed_.resize(a.cols(), a.rows());
    kernels::tile_kernels<T>().transpose(size(a.rows()), size(a.cols()), a.data(), a.outerStride(),
                                         transposed_.data(), a.rows());
    p.a = transposed_.data();
    p.a_stride = a.rows();
    p.a_step = 1;
  }
  multiply(p, b);
}

template <class T>
void TileProducts<T>::times_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                                      Into into) {
  const auto panel = static_cast<std::ptrdiff_t>(kernels::tile_kernels<T>().panel);
  if (done_if_empty<T>(c, a.cols(), into)) return;
  kernels::TileProduct<T> p = product_into<T>(c, into);
  p.inner = size(a.cols());
  p.a = a.data();
  p.a_stride = a.outerStride();
  p.b = packed_transpose(b);
  p.b_stride = panel;
  p.b_panel = panel * a.cols();
  kernels::tile_kernels<T>().multiply(p);
}

template class TileProducts<float>;
template class TileProducts<double>;

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
