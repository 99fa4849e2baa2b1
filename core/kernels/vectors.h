#pragma once

#include <cstddef>
#include <cstdint>

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

inline Vector<double> widened(Vector<float> v) {
  typedef float Half __attribute__((vector_size(vector_bytes / 2)));
  Half halves[2];
  __builtin_memcpy(halves, &v, sizeof v);
  return __builtin_convertvector(halves[0], Vector<double>) +
         __builtin_convertvector(halves[1], Vector<double>);
}

}  // namespace
}  // namespace orrery::kernels
