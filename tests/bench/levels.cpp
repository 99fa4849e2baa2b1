#include "tests/bench/levels.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/kernels/level.h"
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

void print_row(const Operation& operation, int rounds) {
  const std::function<void()> run = operation.prepare();
  std::vector<std::vector<double>> times(levels().size());
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      chosen = levels()[i];
      times[i].push_back(seconds(run));
    }
    ratios.push_back(times.front().back() / times.back().back());
  }
  chosen.reset();
  fmt::print("{:<44}", operation.name);
  for (const std::vector<double>& of_level : times)
    fmt::print(" {:>13.3f}", 1e3 * spread(of_level).median);
  const Spread ratio = spread(ratios);
  fmt::print("  {:5.2f} ({:.2f} to {:.2f})\n", ratio.median, ratio.least, ratio.most);
  std::fflush(stdout);
}

}  // namespace

kernels::Level real_best_level() __asm__("__real_" ORRERY_BEST_LEVEL);
kernels::Level wrapped_best_level() __asm__("__wrap_" ORRERY_BEST_LEVEL);
kernels::Level wrapped_best_level() { return chosen ? *chosen : real_best_level(); }

void print_levels(const TableOptions& options) {
  fmt::print("One thread, medians over {} rounds (least to most), ms at each level of this CPU\n\n",
             options.rounds);
  fmt::print("{:<44}", "operation");
  for (const kernels::Level level : levels()) fmt::print(" {:>13}", kernels::name(level));
  fmt::print("  highest over lowest\n");
  for (const Operation& operation : operations())
    if (operation.name.find(options.only) != std::string::npos && operation.work < most_work)
      print_row(operation, options.rounds);
}

}  // namespace orrery::bench
