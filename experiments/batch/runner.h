#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/batch/journal.h"
#include "experiments/batch/plan.h"
#include "experiments/batch/sweep_folder.h"

namespace orrery {

/// How far a sweep is.
struct SweepProgress {
  std::size_t total{};     ///< points of this shard
  std::size_t before{};    ///< complete when this call began
  std::size_t finished{};  ///< done or failed in this call
  std::size_t failed{};    ///< of those
  double running{};        ///< sum of the fractions of the points at work
  double seconds{};        ///< since the call began
};

/// Hears of a sweep, from the thread that called run_sweep.
class SweepObserver {
 public:
  virtual ~SweepObserver() = default;
  /// About ten times a second.
  virtual void tick(const SweepProgress& progress) = 0;
  virtual void finished(const PlanPoint& point, const JournalEntry& entry,
                        const SweepProgress& progress) = 0;
};

struct SweepOptions {
  int threads{1};
  bool fail_fast{false};  ///< hand out no further point after one has failed
  std::vector<std::string> argv{};
  std::function<bool()> stop_requested{};  ///< asked from every thread
};

struct SweepOutcome {
  SweepProgress progress{};
  bool stopped{};  ///< on request; the running points were dropped
  std::vector<PointRow> rows{};
};

/// Computes the pending points on all threads, each written and recorded as soon as it is ready. A
/// point that throws is recorded as failed and the others go on. Then writes the sweep's tables and
/// manifest, also after a stop. Throws IoError when a result cannot be written: what was recorded
/// before stays.
SweepOutcome run_sweep(const Plan& plan, SweepFolder& folder, const SweepOptions& options,
                       SweepObserver& observer);

/// Computes and writes one point. Throws what Experiment::run, load_inputs and write_result do.
JournalEntry compute_point(const Plan& plan, const PlanPoint& point,
                           const std::filesystem::path& folder, Progress& progress);

}  // namespace orrery
