#include "core/kernels/tiles.h"

#include <utility>

#include "core/kernels/fused.h"
#include "core/kernels/vectors.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

// Registers: 6 rows by 4 vectors of sums, 4 vectors of b and one of a fill the 32 of AVX-512; the
// other levels have 16.
constexpr std::size_t panel_vectors = vector_bytes == 64 ? 4 : 2;

template <class T>
constexpr std::size_t panel = panel_vectors* lanes<T>;

// `add` is known when it is compiled and every loop is unrolled: the sums then never leave the
// registers.
template <class T, std::size_t vectors, bool add>
void multiply_tile(std::size_t inner, const T* a, std::ptrdiff_t a_stride, const T* b,
                   std::ptrdiff_t b_stride, T* c, std::ptrdiff_t c_stride) {
  Vector<T> sum[tile_rows][vectors];
#pragma GCC unroll 6
  for (std::size_t i = 0; i < tile_rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j)
      sum[i][j] =
          add ? load(c + static_cast<std::ptrdiff_t>(i) * c_stride + j * lanes<T>) : Vector<T>{};
  for (std::size_t k = 0; k < inner; ++k, b += b_stride) {
    Vector<T> column[vectors];
    for (std::size_t j = 0; j < vectors; ++j) column[j] = load(b + j * lanes<T>);
#pragma GCC unroll 6
    for (std::size_t i = 0; i < tile_rows; ++i) {
      const Vector<T> row =
          all_of(a[static_cast<std::ptrdiff_t>(i) * a_stride + static_cast<std::ptrdiff_t>(k)]);
      for (std::size_t j = 0; j < vectors; ++j) sum[i][j] = fused(row, column[j], sum[i][j]);
    }
  }
#pragma GCC unroll 6
  for (std::size_t i = 0; i < tile_rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j)
      store(c + static_cast<std::ptrdiff_t>(i) * c_stride + j * lanes<T>, sum[i][j]);
}

template <class T, std::size_t vectors, bool add>
void multiply_panel(const TileProduct<T>& p, const T* b, T* c) {
  for (std::size_t i = 0; i < p.rows; i += tile_rows) {
    const auto row = static_cast<std::ptrdiff_t>(i);
    multiply_tile<T, vectors, add>(p.inner, p.a + row * p.a_stride, p.a_stride, b, p.b_stride,
                                   c + row * p.c_stride, p.c_stride);
  }
}

template <class T, bool add>
void multiply_panels(const TileProduct<T>& p) {
  const T* b = p.b;
  std::size_t j = 0;
  for (; j + panel<T> <= p.columns; j += panel<T>, b += p.b_panel)
    multiply_panel<T, panel_vectors, add>(p, b, p.c + j);
  for (; j < p.columns; j += lanes<T>, b += lanes<T>) multiply_panel<T, 1, add>(p, b, p.c + j);
}

template <class T>
void multiply(const TileProduct<T>& p) {
  if (p.add)
    multiply_panels<T, true>(p);
  else
    multiply_panels<T, false>(p);
}

/// Lanes of two vectors for one step of a transposition, which swaps the off-diagonal squares of
/// `step` rows and columns. `upper` of the two results.
template <std::size_t step, bool upper, class V, std::size_t... l>
inline V swapped(V a, V b, std::index_sequence<l...>) {
  constexpr std::size_t n = sizeof...(l);
  if constexpr (upper)
    return __builtin_shufflevector(a, b, (l & step ? n + l : l + step)...);
  else
    return __builtin_shufflevector(a, b, (l & step ? n + l - step : l)...);
}

template <class T, std::size_t step = 1>
inline void transpose_square(Vector<T> (&rows)[lanes<T>]) {
  if constexpr (step < lanes<T>) {
    constexpr auto all = std::make_index_sequence<lanes<T>>();
    for (std::size_t i = 0; i < lanes<T>; ++i) {
      if (i & step) continue;
      const Vector<T> a = rows[i], b = rows[i + step];
      rows[i] = swapped<step, false>(a, b, all);
      rows[i + step] = swapped<step, true>(a, b, all);
    }
    transpose_square<T, 2 * step>(rows);
  }
}

template <class T>
void transpose(std::size_t rows, std::size_t columns, const T* a, std::ptrdiff_t a_stride, T* b,
               std::ptrdiff_t b_stride) {
  const auto from = [&](std::size_t i, std::size_t j) {
    return a + static_cast<std::ptrdiff_t>(i) * a_stride + j;
  };
  const auto to = [&](std::size_t i, std::size_t j) {
    return b + static_cast<std::ptrdiff_t>(j) * b_stride + i;
  };
  const std::size_t whole_rows = rows / lanes<T> * lanes<T>;
  const std::size_t whole_columns = columns / lanes<T> * lanes<T>;
  for (std::size_t i = 0; i < whole_rows; i += lanes<T>) {
    for (std::size_t j = 0; j < whole_columns; j += lanes<T>) {
      Vector<T> square[lanes<T>];
      for (std::size_t l = 0; l < lanes<T>; ++l) square[l] = load(from(i + l, j));
      transpose_square<T>(square);
      for (std::size_t l = 0; l < lanes<T>; ++l) store(to(i, j + l), square[l]);
    }
    for (std::size_t j = whole_columns; j < columns; ++j)
      for (std::size_t l = 0; l < lanes<T>; ++l) *to(i + l, j) = *from(i + l, j);
  }
  for (std::size_t i = whole_rows; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) *to(i, j) = *from(i, j);
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

// exp(x) = 2^n e^r with n = x/ln 2 to the nearest whole number and |r| ≤ ln(2)/2. ln 2 is a sum of
// two numbers, the first short enough for n·ln 2 to be exact. e^r = 1 + r + r² s(r), s the
// polynomial through (e^r − 1 − r)/r² at Chebyshev's nodes, computed in 60 digits: off by 1e-8 and
// 1.6e-17.
template <class T>
struct Exp;

template <>
struct Exp<float> {
  static constexpr float round = 0x1.8p23f;  // adding it leaves a whole number in the last bits
  static constexpr float ln2_high = 0x1.63p-1f;
  static constexpr float ln2_low = -0x1.bd0106p-13f;
  static constexpr float lowest = -104;  // exp of it is nearer to 0 than to any other number
  [[maybe_unused]] static constexpr int fraction_bits = 23;
  [[maybe_unused]] static constexpr std::int32_t bias = 127;
  static constexpr float series[] = {
      0x1.6d10fcp-10f, 0x1.120b62p-7f, 0x1.55551ap-5f, 0x1.5554dep-3f, 0.5f, 1.0f, 1.0f};
};

template <>
struct Exp<double> {
  static constexpr double round = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42fefa38p-1;
  static constexpr double ln2_low = 0x1.ef35793c7673p-45;
  static constexpr double lowest = -746;
  [[maybe_unused]] static constexpr int fraction_bits = 52;
  [[maybe_unused]] static constexpr std::int64_t bias = 1023;
  static constexpr double series[] = {0x1.af389ecfc4b9cp-26,
                                      0x1.28917c89a43a7p-22,
                                      0x1.71de0db2f6b19p-19,
                                      0x1.a019b9149a41cp-16,
                                      0x1.a01a01a7c2efep-13,
                                      0x1.6c16c17889ef1p-10,
                                      0x1.11111111109b5p-7,
                                      0x1.5555555553d68p-5,
                                      0x1.5555555555556p-3,
                                      0x1.0000000000001p-1,
                                      1.0,
                                      1.0};
};

/// The larger of each lane, NaN where x is.
#ifdef __AVX512F__
inline Vector<float> at_least(float lowest, Vector<float> x) {
  return reinterpret_cast<Vector<float>>(
      _mm512_max_ps(_mm512_set1_ps(lowest), reinterpret_cast<__m512>(x)));
}

inline Vector<double> at_least(double lowest, Vector<double> x) {
  return reinterpret_cast<Vector<double>>(
      _mm512_max_pd(_mm512_set1_pd(lowest), reinterpret_cast<__m512d>(x)));
}
#else
template <class T>
inline Vector<T> at_least(T lowest, Vector<T> x) {
  return x < lowest ? splat(lowest) : x;
}
#endif

/// value·2^n, also where 2^n lies below the smallest normal number. `shifted` is n + Exp::round.
#ifdef __AVX512F__
inline Vector<float> scaled(Vector<float> value, Vector<float> shifted) {
  return reinterpret_cast<Vector<float>>(_mm512_scalef_ps(
      reinterpret_cast<__m512>(value), reinterpret_cast<__m512>(shifted - Exp<float>::round)));
}

inline Vector<double> scaled(Vector<double> value, Vector<double> shifted) {
  return reinterpret_cast<Vector<double>>(_mm512_scalef_pd(
      reinterpret_cast<__m512d>(value), reinterpret_cast<__m512d>(shifted - Exp<double>::round)));
}
#else
template <class T>
inline Vector<T> times_power(Vector<T> value, Vector<T> shifted) {
  using E = Exp<T>;
  const Bits<T> n = reinterpret_cast<Bits<T>>(shifted) - reinterpret_cast<Bits<T>>(splat(E::round));
  const Bits<T> half = n >> 1;
  const auto power = [](Bits<T> e) {
    return reinterpret_cast<Vector<T>>((e + E::bias) << E::fraction_bits);
  };
  return value * power(half) * power(n - half);
}

inline Vector<float> scaled(Vector<float> value, Vector<float> shifted) {
  return times_power<float>(value, shifted);
}

inline Vector<double> scaled(Vector<double> value, Vector<double> shifted) {
  return times_power<double>(value, shifted);
}
#endif

/// x ← exp(x) of `count` vectors side by side, each x ≤ 0 or NaN: one alone would wait for itself.
template <class T, std::size_t count>
inline void exponential(Vector<T> (&x)[count]) {
  using E = Exp<T>;
  Vector<T> shifted[count], r[count], sum[count];
  for (std::size_t j = 0; j < count; ++j) x[j] = at_least(E::lowest, x[j]);
  const Vector<T> inverse = all_of(T(1.4426950408889634)), round = all_of(E::round);
  const Vector<T> high = all_of(-E::ln2_high), low = all_of(-E::ln2_low);
  for (std::size_t j = 0; j < count; ++j) shifted[j] = fused(x[j], inverse, round);
  for (std::size_t j = 0; j < count; ++j) r[j] = fused(shifted[j] - round, high, x[j]);
  for (std::size_t j = 0; j < count; ++j) r[j] = fused(shifted[j] - round, low, r[j]);
  for (std::size_t j = 0; j < count; ++j)
    sum[j] = fused(r[j], all_of(E::series[0]), all_of(E::series[1]));
  for (std::size_t i = 2; i < sizeof(E::series) / sizeof(T); ++i)
    for (std::size_t j = 0; j < count; ++j) sum[j] = fused(sum[j], r[j], all_of(E::series[i]));
  for (std::size_t j = 0; j < count; ++j) x[j] = scaled(sum[j], shifted[j]);
}

// Sums in fp64, of lanes that are added up in the end.

inline Vector<double> widened(Vector<double> v) { return v; }

inline Vector<double> widened(Vector<float> v) {
  typedef float Half __attribute__((vector_size(vector_bytes / 2)));
  Half halves[2];
  __builtin_memcpy(halves, &v, sizeof v);
  return __builtin_convertvector(halves[0], Vector<double>) +
         __builtin_convertvector(halves[1], Vector<double>);
}

/// What exponentials are taken of: x, x + row or row.
enum class Argument { in_place, sum, row };

template <Argument argument, class T>
Vector<T> argument_at(std::size_t i, const T* row, const T* x) {
  if constexpr (argument == Argument::in_place) return load(x + i);
  if constexpr (argument == Argument::sum) return load(x + i) + load(row + i);
  if constexpr (argument == Argument::row) return load(row + i);
}

template <Argument argument, class T>
double exponentials_of(std::size_t n, T shift, const T* row, T* x) {
  Vector<double> sums{};
  std::size_t i = 0;
  for (; i + 4 * lanes<T> <= n; i += 4 * lanes<T>) {
    Vector<T> e[4];
    for (std::size_t j = 0; j < 4; ++j)
      e[j] = argument_at<argument, T>(i + j * lanes<T>, row, x) - shift;
    exponential<T>(e);
    for (std::size_t j = 0; j < 4; ++j) store(x + i + j * lanes<T>, e[j]);
    sums += widened((e[0] + e[1]) + (e[2] + e[3]));
  }
  for (; i < n; i += lanes<T>) {
    const std::size_t count = n - i < lanes<T> ? n - i : lanes<T>;
    T own[lanes<T>], added[lanes<T>]{};
    for (T& beyond : own) beyond = -__builtin_inff();  // exp of what is beyond the end is 0
    __builtin_memcpy(own, (argument == Argument::row ? row : x) + i, count * sizeof(T));
    if (argument == Argument::sum) __builtin_memcpy(added, row + i, count * sizeof(T));
    Vector<T> e[1] = {load(own) + load(added) - shift};
    exponential<T>(e);
    __builtin_memcpy(x + i, &e[0], count * sizeof(T));
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
constexpr TileKernels<T> table{lanes<T>,
                               panel<T>,
                               pack_transpose<T>,
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
const TileKernels<float> tiles32 = table<float>;
const TileKernels<double> tiles64 = table<double>;

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
