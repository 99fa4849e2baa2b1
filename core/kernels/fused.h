#pragma once

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#include "core/kernels/vectors.h"

// a b + c, rounded once where the CPU does that, and else twice. Written out: a compiler that may
// choose would round one way in one copy of a loop and the other way in another.

namespace orrery::kernels {
namespace {

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

}  // namespace
}  // namespace orrery::kernels
