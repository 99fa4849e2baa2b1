#include "experiments/sweeps/estimate.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "experiments/files/atomic_folder.h"
#include "experiments/files/file.h"
#include "experiments/sweeps/runner.h"

namespace orrery::sweeps {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::uintmax_t bytes_below(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

std::uintmax_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr std::uintmax_t kib = 1024;
  return static_cast<std::uintmax_t>(usage.ru_maxrss) * kib;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Estimate estimate_cost(const Plan& plan, const std::vector<const PlanPoint*>& left,
                       std::size_t most, double seconds, Progress& progress) {
  Estimate estimate;
  const std::size_t count = std::min(most, left.size());
  const AtomicFolder scratch(fs::temp_directory_path() / "orrery-plan");
  const Clock::time_point start = Clock::now();
  double spent = 0;
  for (std::size_t i = 0; i < count && seconds_since(start) < seconds; ++i) {
    const PlanPoint& point = *left[count == 1 ? 0 : i * (left.size() - 1) / (count - 1)];
    const fs::path folder = scratch.folder() / point.id;
    const Clock::time_point began = Clock::now();
    try {
      compute_point(plan, point, folder, progress);
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      if (estimate.failure.empty())
        estimate.failure = fmt::format("{}: {}", point.label, error.what());
      continue;
    }
    ++estimate.samples;
    spent += seconds_since(began);
    estimate.bytes += bytes_below(folder);
  }
  if (estimate.samples == 0) return estimate;
  const double share = static_cast<double>(left.size()) / static_cast<double>(estimate.samples);
  estimate.seconds = spent * share;
  estimate.bytes = static_cast<std::uintmax_t>(static_cast<double>(estimate.bytes) * share);
  estimate.memory = peak_memory();
  return estimate;
}

}  // namespace orrery::sweeps
