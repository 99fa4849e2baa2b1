#include "core/kernels/rotations.h"

#include <utility>

#include "core/kernels/vectors.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

/// cos and sin of a row's angles, from the parts that its position has.
struct Turns {
  const double* anchor_cos;
  const double* anchor_sin;
  const double* step_cos;
  const double* step_sin;

  Turns(const RotatedRows& r, std::size_t row)
      : anchor_cos(r.anchor_cos),
        anchor_sin(r.anchor_sin),
        step_cos(r.step_cos + r.steps[row] * r.pairs),
        step_sin(r.step_sin + r.steps[row] * r.pairs) {}

  double cos(std::size_t t) const {
    return anchor_cos[t] * step_cos[t] - anchor_sin[t] * step_sin[t];
  }
  double sin(std::size_t t) const {
    return anchor_sin[t] * step_cos[t] + anchor_cos[t] * step_sin[t];
  }
  /// Of as many pairs as a vector has numbers.
  Vector<double> cosines(std::size_t t) const {
    return load(anchor_cos + t) * load(step_cos + t) - load(anchor_sin + t) * load(step_sin + t);
  }
  Vector<double> sines(std::size_t t) const {
    return load(anchor_sin + t) * load(step_cos + t) + load(anchor_cos + t) * load(step_sin + t);
  }
};

/// A row is rotated sooner than the hardware foresees that a later one is needed. A prefetch beyond
/// the last row does nothing.
template <class T>
void prefetch(const RotatedRows& r, const T* x) {
  constexpr std::ptrdiff_t rows_ahead = 8, line = 64;
  const auto bytes = static_cast<std::ptrdiff_t>(2 * r.pairs * sizeof(T));
  const char* next = reinterpret_cast<const char*>(x + rows_ahead * r.stride);
  for (std::ptrdiff_t at = 0; at < bytes; at += line) __builtin_prefetch(next + at, 1);
}

/// A number of T for each of as many pairs as a vector of doubles has.
template <class T>
struct PerPair {
  typedef T Numbers __attribute__((vector_size(vector_bytes / sizeof(double) * sizeof(T))));
};

/// Rotates the pairs in a vector at x, of which c and s have cos and sin from number `first` on.
template <class T, std::size_t first, std::size_t... i>
inline void turn_pairs(T* x, typename PerPair<T>::Numbers c, typename PerPair<T>::Numbers s,
                       std::index_sequence<i...>) {
  const Vector<T> pairs = load(x), swapped = __builtin_shufflevector(pairs, pairs, (i ^ 1)...);
  const Vector<T> cosines = __builtin_shufflevector(c, c, (first + i / 2)...);
  const Vector<T> sines = __builtin_shufflevector(  // −s, s per pair
      -s, s, (first + i / 2 + i % 2 * lanes<double>)...);
  store(x, pairs * cosines + swapped * sines);
}

template <class T>
void interleaved(const RotatedRows& r, T* x) {
  using Numbers = typename PerPair<T>::Numbers;
  constexpr std::size_t at_once = lanes<T> / 2;
  constexpr auto indices = std::make_index_sequence<lanes<T>>();
  for (std::size_t i = 0; i < r.rows; ++i, x += r.stride) {
    prefetch(r, x);
    const Turns turns(r, i);
    std::size_t t = 0;
    for (; t + lanes<double> <= r.pairs; t += lanes<double>) {
      const Numbers c = __builtin_convertvector(turns.cosines(t), Numbers);
      const Numbers s = __builtin_convertvector(turns.sines(t), Numbers);
      turn_pairs<T, 0>(x + 2 * t, c, s, indices);
      if constexpr (at_once < lanes<double>)
        turn_pairs<T, at_once>(x + 2 * (t + at_once), c, s, indices);
    }
    for (; t < r.pairs; ++t) {
      const T c = static_cast<T>(turns.cos(t)), s = static_cast<T>(turns.sin(t));
      const T a = x[2 * t], b = x[2 * t + 1];
      x[2 * t] = a * c - b * s;
      x[2 * t + 1] = a * s + b * c;
    }
  }
}

template <class T>
void half_split(const RotatedRows& r, T* x) {
  for (std::size_t i = 0; i < r.rows; ++i, x += r.stride) {
    prefetch(r, x);
    const Turns turns(r, i);
    T* __restrict left = x;
    T* __restrict right = x + r.half;
    for (std::size_t t = 0; t < r.pairs; ++t) {
      const T c = static_cast<T>(turns.cos(t)), s = static_cast<T>(turns.sin(t));
      const T a = left[t], b = right[t];
      left[t] = a * c - b * s;
      right[t] = a * s + b * c;
    }
  }
}

}  // namespace

extern const RotationKernels<float> turns32;
extern const RotationKernels<double> turns64;
const RotationKernels<float> turns32{interleaved<float>, half_split<float>};
const RotationKernels<double> turns64{interleaved<double>, half_split<double>};

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
