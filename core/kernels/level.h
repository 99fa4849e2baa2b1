#pragma once

namespace orrery::kernels {

/// The instructions that a kernel is compiled for. One program holds every level that its compiler
/// knows, and takes the highest that the CPU has.
enum class Level {
  baseline,  ///< what every CPU of the architecture has: SSE2 on x86-64
  v3,        ///< x86-64-v3: AVX2 and fused multiply-add
  v4,        ///< x86-64-v4: AVX-512
};

/// The instructions that the levels need, as the CPU reports them.
struct CpuFlags {
  bool avx2{}, fma{}, bmi2{};
  bool avx512f{}, avx512bw{}, avx512cd{}, avx512dq{}, avx512vl{};
};

/// The highest level whose instructions such a CPU has.
Level highest_level(const CpuFlags& cpu);

/// As compilers call it; "baseline".
const char* name(Level level);

/// Whether this program holds the level and this CPU has its instructions.
bool has_level(Level level);

/// The highest that it has.
Level best_level();

}  // namespace orrery::kernels
