#include "core/training/tile_product.h"

#include <algorithm>

#include "core/kernels/tiles.h"

namespace orrery {
namespace {

using kernels::tile_rows;

template <class T>
Index lanes_of() {
  return static_cast<Index>(kernels::tile_kernels<T>().lanes);
}

Index up_to_multiple(Index n, Index of) { return (n + of - 1) / of * of; }

/// b of a product as the kernel reads it, in whole vectors.
template <class T>
struct Panels {
  Matrix<T> own{};  ///< where b had to be copied
  const T* numbers{};
  std::ptrdiff_t row_stride{};
  std::ptrdiff_t panel_stride{};
  Index inner{};
  Index columns{};
};

template <class T>
Panels<T> panels_of(const MatrixIn<T>& b) {
  Panels<T> out{.numbers = b.data(),
                .row_stride = b.outerStride(),
                .panel_stride = static_cast<std::ptrdiff_t>(kernels::tile_kernels<T>().panel),
                .inner = b.rows(),
                .columns = up_to_multiple(b.cols(), lanes_of<T>())};
  if (out.columns == b.cols()) return out;
  out.own.resize(b.rows(), out.columns);
  out.own.leftCols(b.cols()) = b;
  out.own.rightCols(out.columns - b.cols()).setZero();
  out.numbers = out.own.data();
  out.row_stride = out.columns;
  return out;
}

/// The same of bᵀ, panel by panel.
template <class T>
Panels<T> panels_of_transpose(const MatrixIn<T>& b) {
  const auto& kernels = kernels::tile_kernels<T>();
  const auto panel = static_cast<Index>(kernels.panel);
  Panels<T> out{.row_stride = panel,
                .panel_stride = panel * b.cols(),
                .inner = b.cols(),
                .columns = up_to_multiple(b.rows(), lanes_of<T>())};
  out.own.resize(up_to_multiple(b.rows(), panel) / panel * b.cols(), panel);
  kernels.pack_transpose(static_cast<std::size_t>(b.rows()), static_cast<std::size_t>(b.cols()),
                         b.data(), b.outerStride(), out.own.data());
  out.numbers = out.own.data();
  return out;
}

/// aᵀ. [columns of a, rows of a]
template <class T>
Matrix<T> transposed(const MatrixIn<T>& a) {
  Matrix<T> out(a.cols(), a.rows());
  kernels::tile_kernels<T>().transpose(static_cast<std::size_t>(a.rows()),
                                       static_cast<std::size_t>(a.cols()), a.data(),
                                       a.outerStride(), out.data(), out.outerStride());
  return out;
}

/// c, as wide as b, gains or becomes a b.
template <class T>
void multiply_whole(const MatrixIn<T>& a, const Panels<T>& b, MatrixOut<T> c, bool add) {
  const auto& kernels = kernels::tile_kernels<T>();
  kernels::TileProduct<T> p{.inner = static_cast<std::size_t>(b.inner),
                            .columns = static_cast<std::size_t>(b.columns),
                            .a_stride = a.outerStride(),
                            .b = b.numbers,
                            .b_stride = b.row_stride,
                            .b_panel = b.panel_stride,
                            .c_stride = c.outerStride(),
                            .add = add};
  const Index whole = a.rows() / static_cast<Index>(tile_rows) * static_cast<Index>(tile_rows);
  if (whole > 0) {
    p.rows = static_cast<std::size_t>(whole);
    p.a = a.data();
    p.c = c.data();
    kernels.multiply(p);
  }
  const Index left = a.rows() - whole;
  if (left == 0) return;
  Matrix<T> rows = Matrix<T>::Zero(static_cast<Index>(tile_rows), a.cols());
  rows.topRows(left) = a.bottomRows(left);
  Matrix<T> sums(static_cast<Index>(tile_rows), b.columns);
  p.rows = tile_rows;
  p.a = rows.data();
  p.a_stride = rows.outerStride();
  p.c = sums.data();
  p.c_stride = sums.outerStride();
  p.add = false;
  kernels.multiply(p);
  if (add)
    c.bottomRows(left) += sums.topRows(left);
  else
    c.bottomRows(left) = sums.topRows(left);
}

template <class T>
void multiply(const MatrixIn<T>& a, const Panels<T>& b, MatrixOut<T> c, bool add) {
  if (b.columns == c.cols()) return multiply_whole<T>(a, b, c, add);
  Matrix<T> wide(a.rows(), b.columns);
  multiply_whole<T>(a, b, wide, false);
  if (add)
    c += wide.leftCols(c.cols());
  else
    c = wide.leftCols(c.cols());
}

}  // namespace

template <class T>
Matrix<T> tile_product(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  Matrix<T> c(a.rows(), b.cols());
  multiply<T>(a, panels_of<T>(b), c, false);
  return c;
}

template <class T>
Matrix<T> tile_product_with_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  Matrix<T> c(a.rows(), b.rows());
  multiply<T>(a, panels_of_transpose<T>(b), c, false);
  return c;
}

template <class T>
void add_tile_product(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c) {
  multiply<T>(a, panels_of<T>(b), c, true);
}

template <class T>
void add_transposed_tile_product(const MatrixIn<T>& a, const MatrixIn<T>& b, MatrixOut<T> c) {
  multiply<T>(transposed<T>(a), panels_of<T>(b), c, true);
}

#define ORRERY_INSTANTIATE(T)                                                             \
  template Matrix<T> tile_product(const MatrixIn<T>&, const MatrixIn<T>&);                \
  template Matrix<T> tile_product_with_transpose(const MatrixIn<T>&, const MatrixIn<T>&); \
  template void add_tile_product(const MatrixIn<T>&, const MatrixIn<T>&, MatrixOut<T>);   \
  template void add_transposed_tile_product(const MatrixIn<T>&, const MatrixIn<T>&, MatrixOut<T>)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
