#include "core/kernels/rotations.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

// A row's cos and sin, a block of pairs at a time, so that they stay in the first cache.
constexpr std::size_t block = 64;

template <class T>
struct Turn {
  alignas(64) T cos[block];
  alignas(64) T sin[block];
};

template <class T>
void turn_of(const RotatedRows& r, std::size_t row, std::size_t first, std::size_t count,
             Turn<T>& turn) {
  const double* anchor_cos = r.anchor_cos + first;
  const double* anchor_sin = r.anchor_sin + first;
  const double* step_cos = r.step_cos + r.steps[row] * r.pairs + first;
  const double* step_sin = r.step_sin + r.steps[row] * r.pairs + first;
  for (std::size_t t = 0; t < count; ++t) {
    turn.cos[t] = static_cast<T>(anchor_cos[t] * step_cos[t] - anchor_sin[t] * step_sin[t]);
    turn.sin[t] = static_cast<T>(anchor_sin[t] * step_cos[t] + anchor_cos[t] * step_sin[t]);
  }
}

template <class T>
void interleaved(const RotatedRows& r, T* x) {
  Turn<T> turn;
  alignas(64) T minus_sin[block];  // g++ 12 makes one instruction of a c − b s beside a s + b c,
                                   // and fuses them
  for (std::size_t i = 0; i < r.rows; ++i, x += r.stride)
    for (std::size_t first = 0; first < r.pairs; first += block) {
      const std::size_t count = r.pairs - first < block ? r.pairs - first : block;
      turn_of(r, i, first, count, turn);
      for (std::size_t t = 0; t < count; ++t) minus_sin[t] = -turn.sin[t];
      T* __restrict pair = x + 2 * first;
      for (std::size_t t = 0; t < count; ++t) {
        const T a = pair[2 * t], b = pair[2 * t + 1];
        pair[2 * t] = a * turn.cos[t] + b * minus_sin[t];
        pair[2 * t + 1] = a * turn.sin[t] + b * turn.cos[t];
      }
    }
}

template <class T>
void half_split(const RotatedRows& r, T* x) {
  Turn<T> turn;
  for (std::size_t i = 0; i < r.rows; ++i, x += r.stride)
    for (std::size_t first = 0; first < r.pairs; first += block) {
      const std::size_t count = r.pairs - first < block ? r.pairs - first : block;
      turn_of(r, i, first, count, turn);
      T* __restrict left = x + first;
      T* __restrict right = x + r.half + first;
      for (std::size_t t = 0; t < count; ++t) {
        const T a = left[t], b = right[t];
        left[t] = a * turn.cos[t] - b * turn.sin[t];
        right[t] = a * turn.sin[t] + b * turn.cos[t];
      }
    }
}

}  // namespace

extern const RotationKernels<float> turns32;
extern const RotationKernels<double> turns64;
const RotationKernels<float> turns32{interleaved<float>, half_split<float>};
const RotationKernels<double> turns64{interleaved<double>, half_split<double>};

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
