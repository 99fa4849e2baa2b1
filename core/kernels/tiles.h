#pragma once

#include <cstddef>

#include "core/kernels/level.h"

namespace orrery::kernels {

/// Rows of a product that are worked on at once. Others are right, too, and slower.
inline constexpr std::size_t tile_rows = 6;

/// c = a b, or c + a b. Entry (i, k) of a is at a + i·a_stride + k·a_step, so that the two change
/// places for aᵀ. The columns of b come in panels: entry (k, j) of panel p is at b + p·b_panel +
/// k·b_stride + j. Every sum runs over k in order, whatever the rows and columns beside it, so that
/// an entry depends on its row of a and its column of b alone.
template <class T>
struct TileProduct {
  std::size_t rows{};     ///< of a and c
  std::size_t inner{};    ///< columns of a, rows of b
  std::size_t columns{};  ///< of b and c
  const T* a{};
  std::ptrdiff_t a_stride{};
  std::ptrdiff_t a_step{1};
  const T* b{};
  std::ptrdiff_t b_stride{};
  std::ptrdiff_t b_panel{};
  T* c{};
  std::ptrdiff_t c_stride{};
  bool add{};  ///< c gains the product, in place of becoming it
};

/// Kernels of attention for a tile of the map. With fused multiply-adds where the level has them,
/// so that the last bits differ between levels; at one level they do not depend on anything else.
template <class T>
struct TileKernels {
  std::size_t lanes;  ///< numbers in a vector
  std::size_t panel;  ///< columns in a panel, a multiple of lanes

  /// The rows of a [rows, columns] as the columns of panels, [⌈rows/panel⌉][columns][panel], the
  /// last filled up with zeros: b of a product with aᵀ, where b_stride = panel and b_panel =
  /// columns·panel.
  void (*pack_transpose)(std::size_t rows, std::size_t columns, const T* a, std::ptrdiff_t a_stride,
                         T* packed);
  /// The same of the columns of a: b of a product with a, [⌈columns/panel⌉][rows][panel].
  void (*pack)(std::size_t rows, std::size_t columns, const T* a, std::ptrdiff_t a_stride,
               T* packed);
  void (*multiply)(const TileProduct<T>& product);
  /// b [columns, rows] = aᵀ, a [rows, columns].
  void (*transpose)(std::size_t rows, std::size_t columns, const T* a, std::ptrdiff_t a_stride,
                    T* b, std::ptrdiff_t b_stride);
  /// The largest of x [n], NaN left out; −inf of none.
  T (*largest)(std::size_t n, const T* x);
  /// x ← x + constant + Σ rows[r], `count` rows [n], added in this order; returns the largest of
  /// the new x, as above.
  T (*add_rows)(std::size_t n, T constant, const T* const* rows, std::size_t count, T* x);
  /// x ← exp(x − shift), and their sum in fp64 over blocks of 8 vectors. exp is off by at most 2
  /// units in the last place, exactly 0 of −inf, and NaN of NaN; no x may be above shift.
  double (*exponentials)(std::size_t n, T shift, T* x);
  /// The same of x + row, row [n].
  double (*exponentials_of_sum)(std::size_t n, T shift, const T* row, T* x);
  /// The same of `row` in place of x, row [n].
  double (*exponentials_of_row)(std::size_t n, T shift, const T* row, T* x);
};

/// Those of a level that the CPU has.
template <class T>
const TileKernels<T>& tile_kernels(Level level = best_level());

}  // namespace orrery::kernels
