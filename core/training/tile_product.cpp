#include "core/training/tile_product.h"

namespace orrery {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// Rows that are so far apart come to lie on each other in the first cache, unless they are few.
constexpr Index far_apart = 512;  // bytes
constexpr Index few_rows = 64;

template <class T>
kernels::TileProduct<T> product_into(MatrixOut<T> c, Into into) {
  return {.rows = size(c.rows()),
          .columns = size(c.cols()),
          .c = c.data(),
          .c_stride = c.outerStride(),
          .add = into == Into::add};
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
  const bool in_place =
      b.rows() <= few_rows || b.outerStride() * static_cast<Index>(sizeof(T)) < far_apart;
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
  kernels::TileProduct<T> p = product_into<T>(c, into);
  p.a = a.data();
  p.a_stride = a.outerStride();
  multiply(p, b);
}

template <class T>
void TileProducts<T>::transpose_times(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                                      Into into) {
  kernels::TileProduct<T> p = product_into<T>(c, into);
  p.a = a.data();
  p.a_stride = 1;
  p.a_step = a.outerStride();
  multiply(p, b);
}

template <class T>
void TileProducts<T>::times_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                                      Into into) {
  const auto panel = static_cast<std::ptrdiff_t>(kernels::tile_kernels<T>().panel);
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

}  // namespace orrery
