#pragma once

#include "core/kernels/activations.h"
#include "core/kernels/dense.h"
#include "core/kernels/linear.h"
#include "core/kernels/rotations.h"
#include "core/kernels/steps.h"
#include "core/kernels/tiles.h"

// The tables of each level, defined in the sources that are compiled once per level. Those include
// nothing that defines a function others could link to: it would be compiled for their CPU.

#define ORRERY_KERNEL_TABLES                    \
  extern const RotationKernels<float> turns32;  \
  extern const RotationKernels<double> turns64; \
  extern const TileKernels<float> tiles32;      \
  extern const TileKernels<double> tiles64;     \
  extern const LinearKernels<float> linear32;   \
  extern const LinearKernels<double> linear64;  \
  extern const DenseKernels<float> dense32;     \
  extern const DenseKernels<double> dense64;    \
  extern const StepKernels<float> steps32;      \
  extern const StepKernels<double> steps64;     \
  extern const ActivationKernels activations32;

namespace orrery::kernels {
namespace baseline {
ORRERY_KERNEL_TABLES
}
namespace v3 {
ORRERY_KERNEL_TABLES
}
namespace v4 {
ORRERY_KERNEL_TABLES
}
}  // namespace orrery::kernels

#undef ORRERY_KERNEL_TABLES
