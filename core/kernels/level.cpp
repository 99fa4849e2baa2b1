#include "core/kernels/level.h"

namespace orrery::kernels {
namespace {

#ifdef ORRERY_KERNELS_X86
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}

bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

}  // namespace

const char* name(Level level) {
  if (level == Level::v4) return "x86-64-v4";
  return level == Level::v3 ? "x86-64-v3" : "baseline";
}

bool has_level(Level level) {
#ifdef ORRERY_KERNELS_X86
  if (level == Level::v4) return has_v4();
  if (level == Level::v3) return has_v3();
#endif
  return level == Level::baseline;
}

Level best_level() {
  static const Level best = has_level(Level::v4)   ? Level::v4
                            : has_level(Level::v3) ? Level::v3
                                                   : Level::baseline;
  return best;
}

}  // namespace orrery::kernels
