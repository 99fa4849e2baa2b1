#include "core/kernels/tiles.h"

#include "core/kernels/exponential.h"
#include "core/kernels/vectors.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

// Registers: 6 rows by 4 vectors of sums, 4 vectors of b and one of a fill the 32 of AVX-512; the
// other levels have 16.
constexpr std::size_t panel_vectors = vector_bytes == 64 ? 4 : 2;

template <class T>
constexpr std::size_t panel = panel_vectors* lanes<T>;

// The numbers of rows and vectors are known when it is compiled and every loop over them is unrolled:
// the sums then never leave the registers. Of the last vector, unless it is whole, p.columns says how
// many numbers count.
template <class T, std::size_t rows, std::size_t vectors, bool whole>
inline void multiply_tile(const TileProduct<T>& p, const T* a, const T* b, T* c) {
  const std::size_t last = p.columns % lanes<T>;
  const auto cut = [](std::size_t j) { return !whole && j + 1 == vectors; };
  Vector<T> sum[rows][vectors]{};
  if (p.add)
#pragma GCC unroll 6
    for (std::size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
      for (std::size_t j = 0; j < vectors; ++j) {
        const T* at = c + static_cast<std::ptrdiff_t>(i) * p.c_stride + j * lanes<T>;
        sum[i][j] = cut(j) ? load_first(at, last) : load(at);
      }
  for (std::size_t k = 0; k < p.inner; ++k, a += p.a_step, b += p.b_stride) {
    Vector<T> column[vectors];
    for (std::size_t j = 0; j < vectors; ++j)
      column[j] = cut(j) ? load_first(b + j * lanes<T>, last) : load(b + j * lanes<T>);
#pragma GCC unroll 6
    for (std::size_t i = 0; i < rows; ++i) {
      const Vector<T> row = all_of(a[static_cast<std::ptrdiff_t>(i) * p.a_stride]);
      for (std::size_t j = 0; j < vectors; ++j) sum[i][j] = fused(row, column[j], sum[i][j]);
    }
  }
#pragma GCC unroll 6
  for (std::size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j) {
      T* at = c + static_cast<std::ptrdiff_t>(i) * p.c_stride + j * lanes<T>;
      if (cut(j))
        store_first(at, sum[i][j], last);
      else
        store(at, sum[i][j]);
    }
}

/// The rows behind the last whole tile, `rows` or fewer.
template <class T, std::size_t rows, std::size_t vectors, bool whole>
void multiply_last_rows(const TileProduct<T>& p, const T* a, const T* b, T* c, std::size_t left) {
  if constexpr (rows > 0) {
    if (left == rows)
      multiply_tile<T, rows, vectors, whole>(p, a, b, c);
    else
      multiply_last_rows<T, rows - 1, vectors, whole>(p, a, b, c, left);
  }
}

// By value: what is stored to c cannot change it.
template <class T, std::size_t vectors, bool whole>
void multiply_panel(const TileProduct<T> p, const T* b, T* c) {
  constexpr auto rows = static_cast<std::ptrdiff_t>(tile_rows);
  const T* a = p.a;
  for (std::size_t i = 0; i + tile_rows <= p.rows; i += tile_rows) {
    multiply_tile<T, tile_rows, vectors, whole>(p, a, b, c);
    a += rows * p.a_stride;
    c += rows * p.c_stride;
  }
  multiply_last_rows<T, tile_rows - 1, vectors, whole>(p, a, b, c, p.rows % tile_rows);
}

/// The columns behind the last whole panel, `vectors` vectors or fewer.
template <class T, std::size_t vectors>
void multiply_last_columns(const TileProduct<T>& p, const T* b, T* c, std::size_t left) {
  if constexpr (vectors > 0) {
    if (left + lanes<T> <= vectors * lanes<T>)
      multiply_last_columns<T, vectors - 1>(p, b, c, left);
    else if (left == vectors * lanes<T>)
      multiply_panel<T, vectors, true>(p, b, c);
    else
      multiply_panel<T, vectors, false>(p, b, c);
  }
}

template <class T>
void multiply(const TileProduct<T>& p) {
  const T* b = p.b;
  std::size_t j = 0;
  for (; j + panel<T> <= p.columns; j += panel<T>, b += p.b_panel)
    multiply_panel<T, panel_vectors, true>(p, b, p.c + j);
  multiply_last_columns<T, panel_vectors>(p, b, p.c + j, p.columns - j);
}

template <class T>
void pack_transpose(std::size_t rows, std::size_t columns, const T* a, std::ptrdiff_t a_stride,
                    T* packed) {
  for (std::size_t first = 0; first < rows; first += panel<T>) {
    const std::size_t count = rows - first < panel<T> ? rows - first : panel<T>;
    transpose<T>(count, columns, a + static_cast<std::ptrdiff_t>(first) * a_stride, a_stride,
                 packed, panel<T>);
    for (std::size_t j = count; j < panel<T>; ++j)
      for (std::size_t k = 0; k < columns; ++k) packed[k * panel<T> + j] = T(0);
    packed += columns * panel<T>;
  }
}

template <class T>
void pack(std::size_t rows, std::size_t columns, const T* a, std::ptrdiff_t a_stride, T* packed) {
  for (std::size_t first = 0; first < columns; first += panel<T>) {
    const std::size_t count = columns - first < panel<T> ? columns - first : panel<T>;
    const T* from = a + first;
    for (std::size_t k = 0; k < rows; ++k, from += a_stride, packed += panel<T>) {
      if (count == panel<T>) {
        __builtin_memcpy(packed, from, sizeof(T) * panel<T>);
        continue;
      }
      __builtin_memset(packed, 0, sizeof(T) * panel<T>);
      __builtin_memcpy(packed, from, sizeof(T) * count);
    }
  }
}

/// The largest number of `most`, and of x[i] onwards.
template <class T>
T largest_of(const Vector<T> (&most)[4], std::size_t i, std::size_t n, const T* x) {
  T result = -__builtin_inff();
  for (const Vector<T>& v : most)
    for (std::size_t l = 0; l < lanes<T>; ++l) result = v[l] > result ? v[l] : result;
  for (; i < n; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

template <class T>
T largest(std::size_t n, const T* x) {
  constexpr T lowest = -__builtin_inff();
  Vector<T> most[4] = {splat(lowest), splat(lowest), splat(lowest), splat(lowest)};
  std::size_t i = 0;
  for (; i + 4 * lanes<T> <= n; i += 4 * lanes<T>)
    for (std::size_t j = 0; j < 4; ++j) {
      const Vector<T> v = load(x + i + j * lanes<T>);
      most[j] = v > most[j] ? v : most[j];
    }
  return largest_of<T>(most, i, n, x);
}

template <class T, std::size_t count>
T add_some_rows(std::size_t n, T constant, const T* const* rows, T* x) {
  constexpr T lowest = -__builtin_inff();
  Vector<T> most[4] = {splat(lowest), splat(lowest), splat(lowest), splat(lowest)};
  std::size_t i = 0;
  for (; i + 4 * lanes<T> <= n; i += 4 * lanes<T>)
    for (std::size_t j = 0; j < 4; ++j) {
      T* at = x + i + j * lanes<T>;
      Vector<T> v = load(at) + constant;
      for (std::size_t r = 0; r < count; ++r) v += load(rows[r] + i + j * lanes<T>);
      store(at, v);
      most[j] = v > most[j] ? v : most[j];
    }
  const std::size_t rest = i;
  for (; i < n; ++i) {
    T sum = x[i] + constant;
    for (std::size_t r = 0; r < count; ++r) sum += rows[r][i];
    x[i] = sum;
  }
  return largest_of<T>(most, rest, n, x);
}

template <class T>
T add_rows(std::size_t n, T constant, const T* const* rows, std::size_t count, T* x) {
  if (count == 0) return add_some_rows<T, 0>(n, constant, rows, x);
  for (; count > 3; --count) add_some_rows<T, 1>(n, T(0), rows++, x);
  if (count == 1) return add_some_rows<T, 1>(n, constant, rows, x);
  if (count == 2) return add_some_rows<T, 2>(n, constant, rows, x);
  return add_some_rows<T, 3>(n, constant, rows, x);
}

/// What exponentials are taken of: x, x + row or row.
enum class Argument { in_place, sum, row };

template <Argument argument, class T>
Vector<T> argument_at(std::size_t i, const T* row, const T* x) {
  if constexpr (argument == Argument::in_place) return load(x + i);
  if constexpr (argument == Argument::sum) return load(x + i) + load(row + i);
  if constexpr (argument == Argument::row) return load(row + i);
}

/// Four vectors of exponentials from number i on; returns their sum.
template <Argument argument, class T>
inline Vector<T> four_exponentials(std::size_t i, T shift, const T* row, T* x) {
  Vector<T> e[4];
  for (std::size_t j = 0; j < 4; ++j)
    e[j] = argument_at<argument, T>(i + j * lanes<T>, row, x) - shift;
  exponential<T>(e);
  for (std::size_t j = 0; j < 4; ++j) store(x + i + j * lanes<T>, e[j]);
  return (e[0] + e[1]) + (e[2] + e[3]);
}

template <Argument argument, class T>
double exponentials_of(std::size_t n, T shift, const T* row, T* x) {
  Vector<double> sums{};
  std::size_t i = 0;
  for (; i + 8 * lanes<T> <= n; i += 8 * lanes<T>) {
    const Vector<T> sum = four_exponentials<argument, T>(i, shift, row, x);
    sums += widened(sum + four_exponentials<argument, T>(i + 4 * lanes<T>, shift, row, x));
  }
  for (; i + 4 * lanes<T> <= n; i += 4 * lanes<T>)
    sums += widened(four_exponentials<argument, T>(i, shift, row, x));
  for (; i < n; i += lanes<T>) {
    const std::size_t count = n - i < lanes<T> ? n - i : lanes<T>;
    constexpr T lowest = -__builtin_inff();  // exp of what is beyond the end is 0
    Vector<T> own = load_some((argument == Argument::row ? row : x) + i, count, lowest);
    if constexpr (argument == Argument::sum) own += load_some(row + i, count);
    Vector<T> e[1] = {own - shift};
    exponential<T>(e);
    store_some<T>(x + i, e[0], count);
    sums += widened(e[0]);
  }
  double sum = 0;
  for (std::size_t l = 0; l < lanes<double>; ++l) sum += sums[l];
  return sum;
}

template <class T>
double exponentials(std::size_t n, T shift, T* x) {
  return exponentials_of<Argument::in_place, T>(n, shift, nullptr, x);
}

template <class T>
constexpr TileKernels<T> tile_table{lanes<T>,
                                    panel<T>,
                                    pack_transpose<T>,
                                    pack<T>,
                                    multiply<T>,
                                    transpose<T>,
                                    largest<T>,
                                    add_rows<T>,
                                    exponentials<T>,
                                    exponentials_of<Argument::sum, T>,
                                    exponentials_of<Argument::row, T>};

}  // namespace

extern const TileKernels<float> tiles32;
extern const TileKernels<double> tiles64;
const TileKernels<float> tiles32 = tile_table<float>;
const TileKernels<double> tiles64 = tile_table<double>;

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
