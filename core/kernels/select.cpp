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
#undef ORRERY_KERNEL_TABLES

#ifdef ORRERY_KERNELS_X86
#define ORRERY_AT_LEVEL(level, table) \
  ((level) == Level::v4 ? v4::table : (level) == Level::v3 ? v3::table : baseline::table)
#else
#define ORRERY_AT_LEVEL(level, table) (static_cast<void>(level), baseline::table)
#endif

#define ORRERY_CHOOSE(Kernels, function, table)  \
  template <>                                    \
  const Kernels<float>& function(Level level) {  \
    return ORRERY_AT_LEVEL(level, table##32);    \
  }                                              \
  template <>                                    \
  const Kernels<double>& function(Level level) { \
    return ORRERY_AT_LEVEL(level, table##64);    \
  }

ORRERY_CHOOSE(RotationKernels, rotation_kernels, turns)
ORRERY_CHOOSE(TileKernels, tile_kernels, tiles)
ORRERY_CHOOSE(LinearKernels, linear_kernels, linear)
ORRERY_CHOOSE(DenseKernels, dense_kernels, dense)
ORRERY_CHOOSE(StepKernels, step_kernels, steps)
const ActivationKernels& activation_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, activations32);
}

}  // namespace orrery::kernels
