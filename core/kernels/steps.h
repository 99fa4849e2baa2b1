#pragma once

#include <cstddef>

#include "core/kernels/level.h"

namespace orrery::kernels {

/// Rows of channels and how they are normalised: x̂ = (x − mean)/√(mean of squares + epsilon), the
/// mean 0 unless `centres`.
template <class T>
struct NormRows {
  std::size_t rows{};
  std::size_t channels{};
  const T* x{};
  std::ptrdiff_t stride{};
  double epsilon{};
  bool centres{};
  const T* gain{};  ///< [channels]
};

/// A step of AdamW for numbers of one kind: StepRule, in the constants of one step.
template <class T>
struct AdamStep {
  T shorten{1};  ///< multiplies the gradient
  T beta1{}, beta2{};
  T rate{};     ///< η/(1 − β₁ᵗ)
  T v_scale{};  ///< 1/(1 − β₂ᵗ)
  T epsilon{};
  T decay{1};  ///< 1 − ηλ
};

/// What a training step does beside products, row by row and in T unless it says otherwise. At one
/// level, bits depend on nothing else.
template <class T>
struct StepKernels {
  /// x ← softmax(scale·x + bias) over n > 0 numbers; bias [n], or null for 0. exp as
  /// TileKernels::exponentials has it, sums in fp64. A NaN makes all NaN, and so do n of −inf.
  void (*softmax)(std::size_t n, T scale, const T* bias, T* x);
  /// d ← scale·a ∘ (d − Σ a d): ∂loss by the logits over scale, from that by their softmax a.
  void (*pull_softmax_back)(std::size_t n, T scale, const T* a, T* d);
  /// y ← x̂ ∘ gain, + bias [channels] where it is not null. x̂ in fp64 and rounded to T. y may be x.
  void (*normalise)(const NormRows<T>& rows, const T* bias, T* y, std::ptrdiff_t y_stride);
  /// d ← (g − mean(g) − x̂ mean(g ∘ x̂))/σ, g = d_y ∘ gain, without the second term where rows are
  /// not centred; with `add`, d gains it. d may be d_y. d_gain [channels] gains Σ d_y ∘ x̂.
  void (*pull_norm_back)(const NormRows<T>& rows, const T* d_y, std::ptrdiff_t d_y_stride, T* d,
                         std::ptrdiff_t d_stride, bool add, T* d_gain);
  /// Neighbours (2t, 2t + 1) of x [n] turn: y_a = x_a cos − x_b sin, y_b = x_a sin + x_b cos; by −1
  /// times the angle for `back`. cos [n] is the same for both of a pair, sin [n] is −sin and sin.
  /// y may be x.
  void (*turn)(std::size_t n, const T* cos, const T* sin, bool back, const T* x, T* y);
  /// m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², w ← decay·w − rate·m/(√(v_scale·v) + ε).
  void (*adam)(std::size_t n, const AdamStep<T>& step, const T* g, T* m, T* v, T* w);
};

/// Those of a level that the CPU has.
template <class T>
const StepKernels<T>& step_kernels(Level level = best_level());

}  // namespace orrery::kernels
