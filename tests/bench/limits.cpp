#include "tests/bench/limits.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "core/kernels/level.h"

namespace orrery::bench {
namespace {

constexpr double long_enough = 0.01;
constexpr int chains = 12;  // enough to hide the latency of one behind the others

// Written out, so that a program that is compiled for less measures each level that the CPU has.
#if defined(__x86_64__)
void multiply_add_v4(int times) {
  for (int i = 0; i < times; ++i)
    __asm__ volatile(
        "vfmadd231ps %%zmm30, %%zmm31, %%zmm0\n\tvfmadd231ps %%zmm30, %%zmm31, %%zmm1\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %%zmm2\n\tvfmadd231ps %%zmm30, %%zmm31, %%zmm3\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %%zmm4\n\tvfmadd231ps %%zmm30, %%zmm31, %%zmm5\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %%zmm6\n\tvfmadd231ps %%zmm30, %%zmm31, %%zmm7\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %%zmm8\n\tvfmadd231ps %%zmm30, %%zmm31, %%zmm9\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %%zmm10\n\tvfmadd231ps %%zmm30, %%zmm31, %%zmm11" ::
            : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
              "xmm10", "xmm11");
}

void multiply_add_v3(int times) {
  for (int i = 0; i < times; ++i)
    __asm__ volatile(
        "vfmadd231ps %%ymm14, %%ymm15, %%ymm0\n\tvfmadd231ps %%ymm14, %%ymm15, %%ymm1\n\t"
        "vfmadd231ps %%ymm14, %%ymm15, %%ymm2\n\tvfmadd231ps %%ymm14, %%ymm15, %%ymm3\n\t"
        "vfmadd231ps %%ymm14, %%ymm15, %%ymm4\n\tvfmadd231ps %%ymm14, %%ymm15, %%ymm5\n\t"
        "vfmadd231ps %%ymm14, %%ymm15, %%ymm6\n\tvfmadd231ps %%ymm14, %%ymm15, %%ymm7\n\t"
        "vfmadd231ps %%ymm14, %%ymm15, %%ymm8\n\tvfmadd231ps %%ymm14, %%ymm15, %%ymm9\n\t"
        "vfmadd231ps %%ymm14, %%ymm15, %%ymm10\n\tvfmadd231ps %%ymm14, %%ymm15, %%ymm11" ::
            : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
              "xmm10", "xmm11");
}
#endif

typedef float Vector __attribute__((vector_size(16)));
void multiply_add_baseline(int times) {
  Vector sums[chains] = {};
  for (int i = 0; i < times; ++i) {
    for (Vector& sum : sums) sum = sum * 0.5f + 1.0f;
    __asm__ volatile("" ::: "memory");
  }
  volatile float used = sums[0][0] + sums[chains - 1][0];
  static_cast<void>(used);
}

/// Multiply-adds of a level, and how many numbers each has.
struct MultiplyAdds {
  void (*run)(int times);
  double lanes;
};

MultiplyAdds multiply_adds_of([[maybe_unused]] kernels::Level level) {
#if defined(__x86_64__)
  if (level == kernels::Level::v4) return {multiply_add_v4, 16};
  if (level == kernels::Level::v3) return {multiply_add_v3, 8};
#endif
  return {multiply_add_baseline, 4};
}

}  // namespace

std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "this processor";
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double multiply_add_peak() {
  constexpr int times = 20000;
  const MultiplyAdds kernel = multiply_adds_of(kernels::best_level());
  double done = 0;
  const double start = now();
  while (now() - start < long_enough) {
    kernel.run(times);
    done += times;
  }
  return done * chains * kernel.lanes * 2 / (now() - start);
}

double multiply_add_peak(int threads) {
  std::vector<double> speeds(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < speeds.size(); ++i)
      others.emplace_back([&speeds, i] { speeds[i] = multiply_add_peak(); });
    speeds[0] = multiply_add_peak();
  }
  return std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

double copy_speed(std::size_t bytes) {
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes);
  double done = 0;
  const double start = now();
  while (now() - start < long_enough) {
    std::memcpy(to.data(), from.data(), bytes);
    __asm__ volatile("" ::"r"(to.data()) : "memory");
    done += 2 * static_cast<double>(bytes);
  }
  return done / (now() - start);
}

}  // namespace orrery::bench
