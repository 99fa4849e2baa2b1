#pragma once

#include "core/kernels/fused.h"
#include "core/kernels/vectors.h"

// The first numbers of a vector, where memory holds no more.

namespace orrery::kernels {
namespace {

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

}  // namespace
}  // namespace orrery::kernels
