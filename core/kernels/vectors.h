#pragma once

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

// Vectors as wide as the registers of the level that a source is compiled for. All within an
// anonymous namespace: each level has its own.

namespace orrery::kernels {
namespace {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

template <class T>
constexpr std::size_t lanes = vector_bytes / sizeof(T);

template <class T>
struct VectorTypes {
  using Integer = std::int32_t;
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  typedef T Unaligned __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
  typedef std::int32_t Bits __attribute__((vector_size(vector_bytes)));
};

template <>
struct VectorTypes<double> {
  using Integer = std::int64_t;
  typedef double Vector __attribute__((vector_size(vector_bytes)));
  typedef double Unaligned
      __attribute__((vector_size(vector_bytes), aligned(alignof(double)), may_alias));
  typedef std::int64_t Bits __attribute__((vector_size(vector_bytes)));
};

template <class T>
using Vector = typename VectorTypes<T>::Vector;
template <class T>
using Bits = typename VectorTypes<T>::Bits;

template <class T>
inline Vector<T> load(const T* p) {
  return *reinterpret_cast<const typename VectorTypes<T>::Unaligned*>(p);
}

template <class T>
inline void store(T* p, Vector<T> v) {
  *reinterpret_cast<typename VectorTypes<T>::Unaligned*>(p) = v;
}

/// A vector of equal numbers, other than −0.
template <class T>
inline Vector<T> splat(T value) {
  return Vector<T>{} + value;
}

/// A vector in fp64 whose numbers sum to those of v.
inline Vector<double> widened(Vector<double> v) { return v; }

// Written out where there are such instructions: GCC 12 sends halves through memory.
#if defined(__AVX512F__)
inline Vector<double> widened(Vector<float> v) {
  const auto all = reinterpret_cast<__m512>(v);
  return reinterpret_cast<Vector<double>>(
      _mm512_add_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(all)),
                    _mm512_cvtps_pd(_mm512_extractf32x8_ps(all, 1))));
}
#elif defined(__AVX2__)
inline Vector<double> widened(Vector<float> v) {
  const auto all = reinterpret_cast<__m256>(v);
  return reinterpret_cast<Vector<double>>(
      _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(all)),
                    _mm256_cvtps_pd(_mm256_extractf128_ps(all, 1))));
}
#else
inline Vector<double> widened(Vector<float> v) {
  typedef float Half __attribute__((vector_size(vector_bytes / 2)));
  Half halves[2];
  __builtin_memcpy(halves, &v, sizeof v);
  return __builtin_convertvector(halves[0], Vector<double>) +
         __builtin_convertvector(halves[1], Vector<double>);
}
#endif

// ---- Fused products -----------------------------------------------------------------------------

// a b + c, rounded once where the CPU does that, and else twice. Written out: a compiler that may
// choose would round one way in one copy of a loop and the other way in another.

#if defined(__AVX512F__) || defined(__FMA__)

#ifdef __AVX512F__
#define ORRERY_MM(operation) _mm512_##operation
using Floats = __m512;
using Doubles = __m512d;
#else
#define ORRERY_MM(operation) _mm256_##operation
using Floats = __m256;
using Doubles = __m256d;
#endif

inline Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) {
  return reinterpret_cast<Vector<float>>(ORRERY_MM(fmadd_ps)(
      reinterpret_cast<Floats>(a), reinterpret_cast<Floats>(b), reinterpret_cast<Floats>(c)));
}

inline Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
  return reinterpret_cast<Vector<double>>(ORRERY_MM(fmadd_pd)(
      reinterpret_cast<Doubles>(a), reinterpret_cast<Doubles>(b), reinterpret_cast<Doubles>(c)));
}

/// A vector of equal numbers.
inline Vector<float> all_of(float x) {
  return reinterpret_cast<Vector<float>>(ORRERY_MM(set1_ps)(x));
}

inline Vector<double> all_of(double x) {
  return reinterpret_cast<Vector<double>>(ORRERY_MM(set1_pd)(x));
}

#undef ORRERY_MM

#else

template <class V>
inline V fused(V a, V b, V c) {
  return a * b + c;
}

template <class T>
inline Vector<T> all_of(T x) {
  return splat(x);
}

#endif

// ---- Parts of vectors --------------------------------------------------------------------------

// The first numbers of a vector, where memory holds no more.

template <class T>
inline Bits<T> lane_numbers() {
  Bits<T> number{};
  for (std::size_t l = 0; l < lanes<T>; ++l)
    number[l] = static_cast<typename VectorTypes<T>::Integer>(l);
  return number;
}

/// All bits of the first n numbers.
template <class T>
inline Bits<T> first_numbers(std::size_t n) {
  return lane_numbers<T>() < static_cast<typename VectorTypes<T>::Integer>(n);
}

/// p[0 … n − 1], and 0 behind them. 0 < n < lanes.
#if defined(__AVX512F__)
inline Vector<float> load_first(const float* p, std::size_t n) {
  return reinterpret_cast<Vector<float>>(
      _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1), p));
}

inline Vector<double> load_first(const double* p, std::size_t n) {
  return reinterpret_cast<Vector<double>>(
      _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << n) - 1), p));
}
#elif defined(__AVX2__)
inline Vector<float> load_first(const float* p, std::size_t n) {
  return reinterpret_cast<Vector<float>>(
      _mm256_maskload_ps(p, reinterpret_cast<__m256i>(first_numbers<float>(n))));
}

inline Vector<double> load_first(const double* p, std::size_t n) {
  return reinterpret_cast<Vector<double>>(
      _mm256_maskload_pd(p, reinterpret_cast<__m256i>(first_numbers<double>(n))));
}
#else
template <class T>
inline Vector<T> load_first(const T* p, std::size_t n) {
  T own[lanes<T>]{};
  __builtin_memcpy(own, p, n * sizeof(T));
  return load(own);
}
#endif

/// The same with `fill` behind them.
template <class T>
inline Vector<T> load_first(const T* p, std::size_t n, T fill) {
  return first_numbers<T>(n) ? load_first(p, n) : all_of(fill);
}

/// p[0 … n − 1] become the first numbers of v; 0 < n < lanes. By halves, as a store by a mask takes
/// longer than a tile of a product.
template <class T>
inline void store_first(T* p, Vector<T> v, std::size_t n) {
  T own[lanes<T>];
  store(own, v);
  const T* from = own;
#pragma GCC unroll 4
  for (std::size_t half = lanes<T> / 2; half > 0; half /= 2) {
    if ((n & half) == 0) continue;
    __builtin_memcpy(p, from, half * sizeof(T));
    p += half;
    from += half;
  }
}

/// The same of 0 < count ≤ lanes.
template <class T>
inline Vector<T> load_some(const T* p, std::size_t count, T fill = T(0)) {
  return count == lanes<T> ? load(p) : load_first(p, count, fill);
}

template <class T>
inline void store_some(T* p, Vector<T> v, std::size_t count) {
  if (count == lanes<T>)
    store(p, v);
  else
    store_first<T>(p, v, count);
}

// ---- Transposition -----------------------------------------------------------------------------

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

/// b [columns, rows] = aᵀ, a [rows, columns].
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

}  // namespace
}  // namespace orrery::kernels
