#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "app/session/job.h"
#include "experiments/model/experiment.h"

namespace orrery::session {

/// Reads the files that parameters name; called in a job's thread.
using InputLoader = std::function<std::shared_ptr<const Inputs>(const ParamSet&)>;

/// Computes one experiment in the background, always for the newest parameters. Its thread starts
/// with the first submit().
class ExperimentJob {
 public:
  struct Outcome {
    Job::Outcome job{};
    ParamSet params{{}};  ///< those that were submitted
  };

  /// `wake` is called from the job's thread when take() has something.
  ExperimentJob(InputLoader load, std::function<void()> wake)
      : load_(std::move(load)), wake_(std::move(wake)) {}

  void submit(const Experiment& experiment, const ParamSet& params);
  bool was_started() const { return job_ != nullptr; }
  void stop();
  /// Stops, and drops the outcome of everything submitted so far.
  void forget();
  /// The newest outcome, once.
  std::optional<Outcome> take();
  Job::Status status() const { return job_ ? job_->status() : Job::Status{}; }

 private:
  InputLoader load_;
  std::function<void()> wake_;
  std::map<std::uint64_t, ParamSet> submitted_{};  ///< by ticket
  std::unique_ptr<Job> job_{};
};

}  // namespace orrery::session
