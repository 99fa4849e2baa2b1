#include "tests/bench/measure.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/bench/limits.h"

namespace orrery::bench {
namespace {

/// A line of /proc/self/status in bytes: "VmRSS:", or "VmHWM:", the highest it was.
double resident(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == key) {
      double kib = 0;
      status >> kib;
      return 1024 * kib;
    }
  return 0;
}

Cost measured(const std::function<std::function<void()>()>& prepare) {
  constexpr double long_enough = 0.2;
  const std::function<void()> run = prepare();
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // the highest starts anew
  const double before = resident("VmRSS:");
  const double start = now();
  run();
  const double first = now() - start;
  const double bytes = std::max(0.0, resident("VmHWM:") - before);
  return {first > long_enough ? first : seconds(run), bytes};
}

}  // namespace

double seconds(const std::function<void()>& run) {
  run();
  int runs = 0;
  const double start = now();
  do {
    run();
    ++runs;
  } while (now() - start < 0.03);
  return (now() - start) / runs;
}

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

Cost cost_alone(const std::function<std::function<void()>()>& prepare) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe to a process of its own");
  std::fflush(stdout);
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process of its own for an operation");
  if (process == 0) {
    const Cost cost = measured(prepare);
    const bool told = ::write(ends[1], &cost, sizeof cost) == static_cast<ssize_t>(sizeof cost);
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  Cost cost;
  const bool told = ::read(ends[0], &cost, sizeof cost) == static_cast<ssize_t>(sizeof cost);
  ::close(ends[0]);
  ::waitpid(process, nullptr, 0);
  if (!told) throw std::runtime_error("an operation ended its process, perhaps for want of memory");
  return cost;
}

}  // namespace orrery::bench
