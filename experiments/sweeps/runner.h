#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_folder.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {

/// The progress of a sweep.
struct SweepProgress {
  std::size_t total{};     ///< points of this shard
  std::size_t before{};    ///< complete when this call began
  std::size_t finished{};  ///< done or failed in this call
  std::size_t failed{};    ///< part of `finished`
  double running{};        ///< sum of the fractions of the running points
  double seconds{};        ///< since this call began
};

/// Receives the events of a sweep, on the thread that called run_sweep.
class SweepObserver {
 public:
  virtual ~SweepObserver() = default;
  /// Called about ten times per second.
  virtual void tick(const SweepProgress& progress) = 0;
  virtual void finished(const PlanPoint& point, const JournalEntry& entry,
                        const SweepProgress& progress) = 0;
};

struct RunnerOptions {
  int threads{1};
  bool fail_fast{false};  ///< start no further point after one has failed
  std::vector<std::string> argv{};
  std::function<bool()> stop_requested{};  ///< called from every thread
};

struct SweepOutcome {
  SweepProgress progress{};
  bool stopped{};  ///< on request, dropping the running points
  std::vector<PointRecord> points{};
};

/// Computes the pending points in parallel and writes and records each as soon as it is ready. On
/// threads, points that become ready while others are brought to the disk wait for it together, and
/// no computation waits for it; a thread without a point draws figures of those at work. A point
/// that throws is recorded as failed, and the others go on. Then writes the sweep's tables and
/// manifest, also after a stop. Throws IoError when a result cannot be written; all points recorded
/// until then are kept.
SweepOutcome run_sweep(const Plan& plan, SweepFolder& folder, const RunnerOptions& options,
                       SweepObserver& observer);

}  // namespace orrery
