#include "app/session/preview.h"

#include <utility>

namespace orrery::session {

void Preview::ask(const Experiment& experiment, const ParamSet& params,
                  const std::function<InputLoader()>& make_loader,
                  const std::function<void()>& wake) {
  if (experiment_ != &experiment) {
    *this = {};
    experiment_ = &experiment;
    job_ = std::make_unique<ExperimentJob>(make_loader(), wake);
  }
  if (asked_ == params) return;
  asked_ = params;
  job_->submit(experiment, params);
}

void Preview::update() {
  std::optional<ExperimentJob::Outcome> outcome = job_ ? job_->take() : std::nullopt;
  if (!outcome || !outcome->job.result) return;
  result_ = std::move(outcome->job.result);
  params_ = std::move(outcome->params);
}

}  // namespace orrery::session
