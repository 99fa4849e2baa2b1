#include "app/session/experiment_job.h"

#include <utility>

namespace orrery::session {

void ExperimentJob::submit(const Experiment& experiment, const ParamSet& params) {
  if (!job_) job_ = std::make_unique<Job>(wake_);
  const auto ticket = job_->submit([&experiment, params, load = load_](Progress& progress) {
    progress.update(0.0, "reading");
    const std::shared_ptr<const Inputs> inputs = load(params);
    return experiment.run(params, *inputs, progress);
  });
  submitted_.emplace(ticket, params);
}

void ExperimentJob::stop() {
  if (job_) job_->stop();
}

void ExperimentJob::forget() {
  stop();
  submitted_.clear();
}

std::optional<ExperimentJob::Outcome> ExperimentJob::take() {
  std::optional<Job::Outcome> outcome = job_ ? job_->take() : std::nullopt;
  if (!outcome) return std::nullopt;
  const auto submitted = submitted_.find(outcome->ticket);
  if (submitted == submitted_.end()) return std::nullopt;  // forgotten meanwhile
  Outcome taken{.job = std::move(*outcome), .params = std::move(submitted->second)};
  submitted_.erase(submitted_.begin(), submitted_.upper_bound(taken.job.ticket));
  return taken;
}

}  // namespace orrery::session
