#include "core/kernels/level.h"

namespace orrery::kernels {
namespace {

CpuFlags flags_of_this_cpu() {
#ifdef ORRERY_KERNELS_X86
  return {.avx2 = __builtin_cpu_supports("avx2") != 0,
          .fma = __builtin_cpu_supports("fma") != 0,
          .bmi2 = __builtin_cpu_supports("bmi2") != 0,
          .avx512f = __builtin_cpu_supports("avx512f") != 0,
          .avx512bw = __builtin_cpu_supports("avx512bw") != 0,
          .avx512cd = __builtin_cpu_supports("avx512cd") != 0,
          .avx512dq = __builtin_cpu_supports("avx512dq") != 0,
          .avx512vl = __builtin_cpu_supports("avx512vl") != 0};
#else
  return {};
#endif
}

}  // namespace

const char* name(Level level) {
  if (level == Level::v4) return "x86-64-v4";
  return level == Level::v3 ? "x86-64-v3" : "baseline";
}

Level highest_level(const CpuFlags& cpu) {
  if (!cpu.avx2 || !cpu.fma || !cpu.bmi2) return Level::baseline;
  const bool v4 = cpu.avx512f && cpu.avx512bw && cpu.avx512cd && cpu.avx512dq && cpu.avx512vl;
  return v4 ? Level::v4 : Level::v3;
}

bool has_level(Level level) { return level <= best_level(); }

Level best_level() {
  static const Level best = highest_level(flags_of_this_cpu());
  return best;
}

}  // namespace orrery::kernels
