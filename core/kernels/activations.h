#pragma once

#include <cstddef>

#include "core/kernels/level.h"

namespace orrery::kernels {

/// Activations of x [n] in place, computed in fp64 and rounded to fp32 once: off by at most 0.51
/// units in the last place. NaN stays NaN. `slopes` [n] becomes their derivatives, computed alike
/// and off by at most 1e-9 more; null where nobody reads them.
struct ActivationKernels {
  /// x σ(slope·x).
  void (*times_sigmoid)(std::size_t n, double slope, float* x, float* slopes);
  /// x (1 + tanh(slope (x + 0.044715 x³)))/2.
  void (*gelu_by_tanh)(std::size_t n, double slope, float* x, float* slopes);
  /// x Φ(x).
  void (*gelu)(std::size_t n, float* x, float* slopes);
  void (*tanh)(std::size_t n, float* x, float* slopes);
};

/// Those of a level that the CPU has.
const ActivationKernels& activation_kernels(Level level = best_level());

}  // namespace orrery::kernels
