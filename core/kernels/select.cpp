#include "core/kernels/table.h"

namespace orrery::kernels {

#ifdef ORRERY_KERNELS_X86
#define ORRERY_AT_LEVEL(level, table) \
  ((level) == Level::v4 ? v4::table : (level) == Level::v3 ? v3::table : baseline::table)
#else
#define ORRERY_AT_LEVEL(level, table) (static_cast<void>(level), baseline::table)
#endif

template <>
const RotationKernels<float>& rotation_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, turns32);
}
template <>
const RotationKernels<double>& rotation_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, turns64);
}
template <>
const TileKernels<float>& tile_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, tiles32);
}
template <>
const TileKernels<double>& tile_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, tiles64);
}
template <>
const LinearKernels<float>& linear_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, linear32);
}
template <>
const LinearKernels<double>& linear_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, linear64);
}
template <>
const DenseKernels<float>& dense_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, dense32);
}
template <>
const DenseKernels<double>& dense_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, dense64);
}
template <>
const StepKernels<float>& step_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, steps32);
}
template <>
const StepKernels<double>& step_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, steps64);
}
const ActivationKernels& activation_kernels(Level level) {
  return ORRERY_AT_LEVEL(level, activations32);
}

}  // namespace orrery::kernels
