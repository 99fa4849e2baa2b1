#include "experiments/sweeps/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/memory.h"
#include "experiments/sweeps/sweep_folder.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// Passes progress on until the time is up.
class Deadline : public Progress {
 public:
  Deadline(Progress& next, double seconds, const Clock& clock)
      : next_(next), clock_(clock), end_(clock() + seconds) {}
  void update(double fraction, std::string_view stage) override {
    fraction_ = fraction;
    next_.update(fraction, stage);
  }
  bool stop_requested() const override { return next_.stop_requested() || is_over(); }
  bool is_over() const { return clock_() >= end_; }
  double fraction() const { return fraction_; }
  void begin_point() {
    fraction_ = 0;
    began_ = clock_();
  }
  double seconds_of_point() const { return clock_() - began_; }

 private:
  Progress& next_;
  const Clock& clock_;
  double end_;
  double began_{0};
  double fraction_{0};
};

/// Computes one point and adds what it takes; adds to `spent` the seconds that a whole point takes.
void add_sample(const Plan& plan, const PlanPoint& point, const fs::path& folder,
                Deadline& deadline, Estimate& estimate, double& spent) {
  deadline.begin_point();
  try {
    estimate.bytes += bytes_of_point(plan, point, folder, deadline);
  } catch (const Stopped&) {
    if (!deadline.is_over()) throw;
    if (deadline.fraction() <= 0) return;
    estimate.partial = deadline.fraction();
    spent += deadline.seconds_of_point() / deadline.fraction();
    return;
  } catch (const std::exception& error) {
    if (estimate.failure.empty())
      estimate.failure = fmt::format("{}: {}", point.label, error.what());
    return;
  }
  ++estimate.samples;
  spent += deadline.seconds_of_point();
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Estimate estimate_cost(const Plan& plan, const std::vector<const PlanPoint*>& left,
                       std::size_t most, double seconds, Progress& progress, const Clock& clock) {
  Estimate estimate;
  const std::size_t count = std::min(most, left.size());
  const AtomicFolder scratch(fs::temp_directory_path() / "orrery-plan");
  Deadline deadline(progress, seconds, clock);
  double spent = 0;
  for (std::size_t i = 0; i < count && !deadline.is_over(); ++i) {
    const PlanPoint& point = *left[count == 1 ? 0 : i * (left.size() - 1) / (count - 1)];
    add_sample(plan, point, scratch.folder() / point.id, deadline, estimate, spent);
  }
  const std::size_t timed = estimate.samples + (estimate.partial > 0 ? 1 : 0);
  if (timed == 0) return estimate;
  const auto points = static_cast<double>(left.size());
  estimate.seconds = spent * points / static_cast<double>(timed);
  if (estimate.samples > 0)
    estimate.bytes = static_cast<std::uintmax_t>(static_cast<double>(estimate.bytes) * points /
                                                 static_cast<double>(estimate.samples));
  estimate.memory = peak_memory();
  return estimate;
}

MergeCost merge_cost(std::size_t points) {
  constexpr double bytes_of_program = 24 << 20, bytes_per_point = 9000, seconds_per_point = 0.015;
  const auto n = static_cast<double>(points);
  return {seconds_per_point * n, bytes_of_program + bytes_per_point * n};
}

}  // namespace orrery
