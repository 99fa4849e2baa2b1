#include "experiments/lessons/result_cache.h"

#include <fmt/format.h>

#include "core/errors.h"

namespace orrery {

std::shared_ptr<const Result> ResultCache::result_of(const StepState& state, Progress& progress) {
  return result_of(state, {}, progress);
}

std::shared_ptr<const Result> ResultCache::result_of(const StepState& state,
                                                     const std::vector<std::string>& words,
                                                     Progress& progress) {
  if (!state.experiment)
    throw UsageError("the step", "has no state", "write a block ```state here or in a step before");
  return run(*state.experiment, with_words(state.params, words), progress);
}

std::shared_ptr<const Result> ResultCache::run(const Experiment& experiment, const ParamSet& params,
                                               Progress& progress) {
  const std::string key =
      fmt::format("{} {}", experiment.info.name, fmt::join(params.overrides(), " "));
  std::shared_ptr<const Result>& result = results_[key];
  if (!result) {
    const auto loaded = inputs_.load(params);
    result = std::make_shared<const Result>(experiment.run(params, loaded->inputs, progress));
  }
  return result;
}

}  // namespace orrery
