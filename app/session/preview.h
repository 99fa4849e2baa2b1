#pragma once

#include <memory>
#include <optional>

#include "app/session/experiment_job.h"

namespace orrery::session {

/// Computes an experiment at other parameters beside its result, for what the mouse points at: the
/// newest parameters win, and failures are not reported.
class Preview {
 public:
  /// Starts over when the experiment is not the one asked for last; `make_loader` then makes its
  /// loader.
  void ask(const Experiment& experiment, const ParamSet& params,
           const std::function<InputLoader()>& make_loader, const std::function<void()>& wake);
  /// Takes what has been computed. Call once per frame; never waits.
  void update();

  /// The newest result, with its parameters; null before the first.
  const std::shared_ptr<const Result>& result() const { return result_; }
  const std::optional<ParamSet>& params() const { return params_; }
  bool busy() const { return job_ && job_->status().busy; }

 private:
  const Experiment* experiment_{};
  std::optional<ParamSet> asked_{};  ///< the newest that was asked for
  std::optional<ParamSet> params_{};
  std::shared_ptr<const Result> result_{};
  std::unique_ptr<ExperimentJob> job_{};
};

}  // namespace orrery::session
