#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/level.h"

namespace orrery::kernels {

/// Rotations of rows by the angles (anchor + step_i)·theta_t, from the cos and sin of both parts:
/// e^{i(a + s)θ} = e^{iaθ} e^{isθ}. The product is formed in fp64 and rounded to T once; with parts
/// that are off by ≤ 4·2^-53 its error is ≤ 12·2^-53, at every position.
struct RotatedRows {
  std::size_t rows{};
  std::size_t pairs{};
  const double* anchor_cos{};   ///< [pairs]
  const double* anchor_sin{};   ///< [pairs]
  const double* step_cos{};     ///< [steps][pairs]
  const double* step_sin{};     ///< [steps][pairs]
  const std::uint8_t* steps{};  ///< [rows]: the step of each row
  std::ptrdiff_t stride{};      ///< from a row of x to the next, in elements
  std::ptrdiff_t half{};        ///< of half-split pairs (t, t + half)
};

/// y_a = x_a cos − x_b sin, y_b = x_a sin + x_b cos, in place. Each product is rounded, without
/// fused multiply-add, so that every level gives the same bits.
template <class T>
struct RotationKernels {
  void (*interleaved)(const RotatedRows& rows, T* x);  ///< pairs (2t, 2t + 1)
  void (*half_split)(const RotatedRows& rows, T* x);   ///< pairs (t, t + half)
};

/// Those of a level in levels().
template <class T>
const RotationKernels<T>& rotation_kernels(Level level = best_level());

}  // namespace orrery::kernels
