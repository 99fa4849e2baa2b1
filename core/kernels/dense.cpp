#include "core/kernels/dense.h"

#include <utility>

#include "core/kernels/vectors.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

// Registers: 12 rows by 2 vectors of sums, 2 vectors of W and one of x fill most of the 32 of
// AVX-512; the other levels have 16. A panel of W in a block of `inner` then lies in the first
// cache, and rows of x stream by.
constexpr std::size_t most_rows = vector_bytes == 64 ? 12 : 6;
constexpr std::size_t output_vectors = 2;
constexpr std::size_t inner_block = 192;

template <class T>
constexpr std::size_t outputs_in_panel = output_vectors* lanes<T>;

constexpr std::size_t least_of(std::size_t a, std::size_t b) { return a < b ? a : b; }

// ---- Sums in registers -------------------------------------------------------------------------

/// One block of the sums of `rows` rows and a panel of outputs. x [inner, rows], W [inner, panel].
template <class T>
struct DenseTile {
  std::size_t inner{};
  const T* x{};
  const T* W{};
  T* y{};
  std::ptrdiff_t y_stride{};
};

// The number of rows is known when it is compiled and every loop over it is unrolled: the sums then
// never leave the registers.
template <class T, std::size_t rows, bool add>
void multiply_dense_tile(const DenseTile<T>& tile) {
  Vector<T> sum[rows][output_vectors]{};
  const T* x = tile.x;
  const T* W = tile.W;
  for (std::size_t k = 0; k < tile.inner; ++k, x += rows, W += outputs_in_panel<T>) {
    const Vector<T> first = load(W), second = load(W + lanes<T>);
#pragma GCC unroll 12
    for (std::size_t i = 0; i < rows; ++i) {
      const Vector<T> row = all_of(x[i]);
      sum[i][0] = fused(row, first, sum[i][0]);
      sum[i][1] = fused(row, second, sum[i][1]);
    }
  }
#pragma GCC unroll 12
  for (std::size_t i = 0; i < rows; ++i) {
    T* y = tile.y + static_cast<std::ptrdiff_t>(i) * tile.y_stride;
#pragma GCC unroll 2
    for (std::size_t j = 0; j < output_vectors; ++j)
      store(y + j * lanes<T>, add ? load(y + j * lanes<T>) + sum[i][j] : sum[i][j]);
  }
}

template <class T>
using TileFunction = void (*)(const DenseTile<T>&);

/// multiply_dense_tile for 1, 2, … rows.
template <class T, bool add, class Rows = std::make_index_sequence<most_rows>>
struct ForRows;

template <class T, bool add, std::size_t... i>
struct ForRows<T, add, std::index_sequence<i...>> {
  static constexpr TileFunction<T> functions[] = {multiply_dense_tile<T, i + 1, add>...};
};

template <class T>
void multiply_tile_of(std::size_t rows, bool add, const DenseTile<T>& tile) {
  (add ? ForRows<T, true>::functions : ForRows<T, false>::functions)[rows - 1](tile);
}

/// The same for fewer outputs than a panel has.
template <class T>
void multiply_narrow_tile(std::size_t rows, std::size_t outputs, bool add,
                          const DenseTile<T>& tile) {
  T y[most_rows * outputs_in_panel<T>]{};
  const auto copy = [&](T* to, std::ptrdiff_t to_stride, const T* from, std::ptrdiff_t stride) {
    for (std::size_t i = 0; i < rows; ++i, to += to_stride, from += stride)
      __builtin_memcpy(to, from, outputs * sizeof(T));
  };
  if (add) copy(y, outputs_in_panel<T>, tile.y, tile.y_stride);
  DenseTile<T> own = tile;
  own.y = y;
  own.y_stride = outputs_in_panel<T>;
  multiply_tile_of(rows, add, own);
  copy(tile.y, tile.y_stride, y, outputs_in_panel<T>);
}

// ---- Order in memory ---------------------------------------------------------------------------

/// Calls use(first, count) for the blocks of 0 … all − 1.
template <class Use>
void for_blocks(std::size_t all, std::size_t block, const Use& use) {
  for (std::size_t first = 0; first < all; first += block) use(first, least_of(block, all - first));
}

/// Rows of x as columns, a step of `width` numbers from one to the next.
struct PackedStep {
  std::size_t columns{};
  std::ptrdiff_t stride{};  ///< from row to row of x
  std::size_t width{};
};

template <class T>
void pack_one_by_one(std::size_t rows, std::size_t first, const PackedStep& step, const T* x,
                     T* packed) {
  for (std::size_t k = first; k < step.columns; ++k)
    for (std::size_t i = 0; i < rows; ++i)
      packed[k * step.width + i] =
          x[static_cast<std::ptrdiff_t>(i) * step.stride + static_cast<std::ptrdiff_t>(k)];
}

// The number of rows is known when it is compiled, so that what is stored are parts of registers.
template <class T, std::size_t rows>
void pack_columns(const PackedStep& step, const T* x, T* packed) {
  constexpr std::size_t together = least_of(rows, lanes<T>);
  std::size_t k = 0;
  for (; k + lanes<T> <= step.columns; k += lanes<T>) {
    Vector<T> square[lanes<T>]{};
    for (std::size_t i = 0; i < together; ++i)
      square[i] = load(x + static_cast<std::ptrdiff_t>(i) * step.stride + k);
    transpose_square<T>(square);
    for (std::size_t l = 0; l < lanes<T>; ++l)
      __builtin_memcpy(packed + (k + l) * step.width, &square[l], together * sizeof(T));
  }
  pack_one_by_one<T>(together, k, step, x, packed);
  if constexpr (rows > together)
    pack_columns<T, rows - together>(step, x + static_cast<std::ptrdiff_t>(together) * step.stride,
                                     packed + together);
}

// [block of inner][tile of rows][inner in the block][rows in the tile], without gaps.
template <class T>
void pack_rows(std::size_t rows, std::size_t inner, const T* x, std::ptrdiff_t x_stride,
               T* packed) {
  for_blocks(inner, inner_block, [&](std::size_t k, std::size_t columns) {
    for_blocks(rows, most_rows, [&](std::size_t i, std::size_t count) {
      const T* from = x + static_cast<std::ptrdiff_t>(i) * x_stride + k;
      const PackedStep step{.columns = columns, .stride = x_stride, .width = count};
      if (count == most_rows)
        pack_columns<T, most_rows>(step, from, packed);
      else
        pack_one_by_one<T>(count, 0, step, from, packed);
      packed += count * columns;
    });
  });
}

/// Rows of W as the columns of panels, [panel][inner][outputs in a panel], the last filled up with
/// zeros.
template <class T>
void pack_panels(std::size_t outputs, std::size_t inner, const T* W, std::ptrdiff_t stride,
                 T* packed) {
  constexpr std::size_t panel = outputs_in_panel<T>;
  for_blocks(outputs, panel, [&](std::size_t first, std::size_t count) {
    transpose<T>(count, inner, W + static_cast<std::ptrdiff_t>(first) * stride, stride, packed,
                 panel);
    for (std::size_t k = 0; k < inner && count < panel; ++k)
      __builtin_memset(packed + k * panel + count, 0, (panel - count) * sizeof(T));
    packed += inner * panel;
  });
}

// [block of inner][panel][inner in the block][outputs in a panel]
template <class T>
void pack_weights(std::size_t outputs, std::size_t inner, const T* W, T* packed) {
  for_blocks(inner, inner_block, [&](std::size_t k, std::size_t columns) {
    pack_panels<T>(outputs, columns, W + k, static_cast<std::ptrdiff_t>(inner),
                   packed + outputs * k);
  });
}

template <class T>
std::size_t dense_room(std::size_t outputs) {
  constexpr std::size_t panel = outputs_in_panel<T>;
  return (outputs + panel - 1) / panel * panel * inner_block;
}

// ---- The product -------------------------------------------------------------------------------

/// What the block of `inner` from k on adds to y.
template <class T>
void multiply_block(const DenseProduct<T>& p, std::size_t k, std::size_t inner) {
  const T* panels = p.W + p.all * k + p.first * inner;
  if (p.all == 0) {
    pack_panels<T>(p.outputs, inner, p.W + k, p.W_stride, p.room);
    panels = p.room;
  }
  for_blocks(p.rows, most_rows, [&](std::size_t i, std::size_t rows) {
    DenseTile<T> tile{.inner = inner, .x = p.x + p.rows * k + i * inner, .W = panels};
    tile.y_stride = p.y_stride;
    for_blocks(p.outputs, outputs_in_panel<T>, [&](std::size_t j, std::size_t outputs) {
      tile.y = p.y + static_cast<std::ptrdiff_t>(i) * p.y_stride + j;
      if (outputs == outputs_in_panel<T>)
        multiply_tile_of(rows, k > 0, tile);
      else
        multiply_narrow_tile(rows, outputs, k > 0, tile);
      tile.W += inner * outputs_in_panel<T>;
    });
  });
}

template <class T>
void add_biases(const DenseProduct<T>& p) {
  T* y = p.y;
  for (std::size_t i = 0; i < p.rows; ++i, y += p.y_stride)
    for (std::size_t j = 0; j < p.outputs; ++j) y[j] += p.b[j];
}

template <class T>
void clear(const DenseProduct<T>& p) {
  T* y = p.y;
  for (std::size_t i = 0; i < p.rows; ++i, y += p.y_stride)
    __builtin_memset(y, 0, p.outputs * sizeof(T));
}

template <class T>
void multiply_dense(const DenseProduct<T>& p) {
  if (p.inner == 0) clear(p);
  for_blocks(p.inner, inner_block,
             [&](std::size_t k, std::size_t inner) { multiply_block(p, k, inner); });
  if (p.b) add_biases(p);
}

template <class T>
constexpr DenseKernels<T> dense_table{dense_room<T>, inner_block, pack_rows<T>, pack_weights<T>,
                                      multiply_dense<T>};

}  // namespace

extern const DenseKernels<float> dense32;
extern const DenseKernels<double> dense64;
const DenseKernels<float> dense32 = dense_table<float>;
const DenseKernels<double> dense64 = dense_table<double>;

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
