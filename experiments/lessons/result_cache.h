#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/data/load_inputs.h"
#include "experiments/lessons/step_state.h"
#include "experiments/model/progress.h"

namespace orrery {

/// Results by experiment and settings: steps with equal settings share one computation.
class ResultCache {
 public:
  /// The result of a state. Throws what running the experiment throws.
  std::shared_ptr<const Result> result_of(const StepState& state, Progress& progress);
  /// The same with "key=value" words in place of its settings.
  std::shared_ptr<const Result> result_of(const StepState& state,
                                          const std::vector<std::string>& words,
                                          Progress& progress);
  /// How many were computed.
  std::size_t computed() const { return results_.size(); }

 private:
  std::shared_ptr<const Result> run(const Experiment& experiment, const ParamSet& params,
                                    Progress& progress);

  InputCache inputs_{};
  std::map<std::string, std::shared_ptr<const Result>> results_{};
};

}  // namespace orrery
