#include "tests/bench/comparisons.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/level.h"
#include "tests/bench/limits.h"
#include "tests/bench/measure.h"

// The linker's --wrap sends every call of best_level() here, so that the core needs no switch for
// what only a benchmark wants.
#define ORRERY_BEST_LEVEL "_ZN6orrery7kernels10best_levelEv"

namespace orrery::bench {
namespace {

constexpr double most_work = 5e9;  // beyond it the lowest level takes seconds

std::optional<kernels::Level> chosen;

std::vector<kernels::Level> levels() {
  std::vector<kernels::Level> found;
  for (const auto level : {kernels::Level::baseline, kernels::Level::v3, kernels::Level::v4})
    if (kernels::has_level(level)) found.push_back(level);
  return found;
}

/// Ways in which every operation runs, and what they are called.
struct Ways {
  std::vector<std::string> names;
  std::function<void(std::size_t)> choose;
  bool shares{false};  ///< whether the share of the limit of each way is printed behind its time
  double least{};      ///< how many times as fast the last one has to be; 0 for no matter
  std::function<double()> gain{};  ///< of the limit itself, by the last one over the first
};

/// A line per operation, its times in turns, and how many times as fast the last way is.
void print_row(const Operation& operation, const Ways& ways, int rounds) {
  const std::function<void()> run = operation.prepare();
  std::vector<std::vector<double>> times(ways.names.size()), shares(ways.names.size());
  std::vector<double> ratios, gains;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      ways.choose(i);
      const double limit = multiply_add_peak();
      times[i].push_back(seconds(run));
      shares[i].push_back(operation.work / (limit * times[i].back()));
    }
    ratios.push_back(times.front().back() / times.back().back());
    if (ways.gain) gains.push_back(ways.gain());
  }
  fmt::print("{:<44}", operation.name);
  for (std::size_t i = 0; i < times.size(); ++i) {
    fmt::print(" {:>13.3f}", 1e3 * spread(times[i]).median);
    if (!ways.shares) continue;
    const bool has = operation.limit == Limit::multiply_add;
    fmt::print(" {:>5}", has ? fmt::format("{:.0f} %", 100 * spread(shares[i]).median) : "-");
  }
  const Spread ratio = spread(ratios);
  fmt::print("  {:5.2f} ({:.2f} to {:.2f})", ratio.median, ratio.least, ratio.most);
  if (ways.gain) fmt::print("  {:17.2f}", spread(gains).median);
  if (ways.least > 0)
    fmt::print("  at least {:g}: {}", ways.least, ratio.median >= ways.least ? "met" : "MISSED");
  fmt::print("\n");
  std::fflush(stdout);
}

void print_heads(const Ways& ways) {
  fmt::print("{:<44}", "operation");
  for (const std::string& name : ways.names)
    fmt::print(" {:>13}{}", name, ways.shares ? " share" : "");
  fmt::print("  last over first     {}\n", ways.gain ? "multiply-adds alone" : "");
}

}  // namespace

kernels::Level real_best_level() __asm__("__real_" ORRERY_BEST_LEVEL);
kernels::Level wrapped_best_level() __asm__("__wrap_" ORRERY_BEST_LEVEL);
kernels::Level wrapped_best_level() { return chosen ? *chosen : real_best_level(); }

bool use_level(std::string_view name) {
  for (const kernels::Level level : levels()) {
    if (name != kernels::name(level)) continue;
    chosen = level;
    if (level == kernels::Level::v4) return true;
    const bool v3 = level == kernels::Level::v3;
    ::setenv("ATEN_CPU_CAPABILITY", v3 ? "avx2" : "default", 1);
    ::setenv("ONEDNN_MAX_CPU_ISA", v3 ? "AVX2" : "SSE41", 1);
    ::setenv("MKL_ENABLE_INSTRUCTIONS", v3 ? "AVX2" : "SSE4_2", 1);
    return true;
  }
  return false;
}

void print_levels(const TableOptions& options) {
  fmt::print(
      "One thread, {}, medians over {} rounds (least to most), ms at each level of this CPU and "
      "share of its multiply-adds in the same seconds\n\n",
      processor(), options.rounds);
  Ways ways{.names = {}, .choose = [](std::size_t i) { chosen = levels()[i]; }, .shares = true};
  for (const kernels::Level level : levels()) ways.names.emplace_back(kernels::name(level));
  print_heads(ways);
  for (const Operation& operation : operations())
    if (operation.name.find(options.only) != std::string::npos && operation.work < most_work)
      print_row(operation, ways, options.rounds);
  chosen.reset();
}

void print_threads(const TableOptions& options, int most) {
  fmt::print("Kernels for {}, medians over {} rounds (least to most), ms\n\n",
             kernels::name(kernels::best_level()), options.rounds);
  const Ways ways{.names = {"one thread", fmt::format("{} threads", most)},
                  .choose = [most](std::size_t i) { threads() = i == 0 ? 1 : most; },
                  .least = 0.95 * most,
                  .gain = [most] { return multiply_add_peak(most) / multiply_add_peak(); }};
  print_heads(ways);
  for (const Operation& operation : operations())
    if (operation.threaded && operation.name.find(options.only) != std::string::npos)
      print_row(operation, ways, options.rounds);
  threads() = 1;
}

}  // namespace orrery::bench
