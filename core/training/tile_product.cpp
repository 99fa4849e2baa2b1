#include "core/training/tile_product.h"

#include "core/kernels/tiles.h"

namespace orrery {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// A product whose right factor is packed.
template <class T>
kernels::TileProduct<T> packed_product(Index inner, const T* b, MatrixOut<T> c, Into into) {
  const auto panel = static_cast<std::ptrdiff_t>(kernels::tile_kernels<T>().panel);
  return {.rows = size(c.rows()),
          .inner = size(inner),
          .columns = size(c.cols()),
          .b = b,
          .b_stride = panel,
          .b_panel = panel * inner,
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
const T* TileProducts<T>::packed(const MatrixIn<T>& b) {
  T* packed = room(b.rows(), b.cols());
  kernels::tile_kernels<T>().pack(size(b.rows()), size(b.cols()), b.data(), b.outerStride(),
                                  packed);
  return packed;
}

template <class T>
const T* TileProducts<T>::packed_transpose(const MatrixIn<T>& b) {
  T* packed = room(b.cols(), b.rows());
  kernels::tile_kernels<T>().pack_transpose(size(b.rows()), size(b.cols()), b.data(),
                                            b.outerStride(), packed);
  return packed;
}

template <class T>
void TileProducts<T>::times(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c, Into into) {
  kernels::TileProduct<T> p = packed_product<T>(a.cols(), packed(b), c, into);
  p.a = a.data();
  p.a_stride = a.outerStride();
  kernels::tile_kernels<T>().multiply(p);
}

template <class T>
void TileProducts<T>::times_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                                      Into into) {
  kernels::TileProduct<T> p = packed_product<T>(a.cols(), packed_transpose(b), c, into);
  p.a = a.data();
  p.a_stride = a.outerStride();
  kernels::tile_kernels<T>().multiply(p);
}

template <class T>
void TileProducts<T>::transpose_times(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c,
                                      Into into) {
  kernels::TileProduct<T> p = packed_product<T>(a.rows(), packed(b), c, into);
  p.a = a.data();
  p.a_stride = 1;
  p.a_step = a.outerStride();
  kernels::tile_kernels<T>().multiply(p);
}

template class TileProducts<float>;
template class TileProducts<double>;

}  // namespace orrery
