#include "experiments/catalogue.h"

#include <fmt/format.h>

#include "core/errors.h"

namespace orrery {

const std::vector<const Experiment*>& experiment_catalogue() {
  static const std::vector<const Experiment*> experiments = {};
  return experiments;
}

const Experiment& find_experiment(std::string_view name) {
  std::vector<std::string> names;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (experiment->info().name == name) return *experiment;
    names.push_back(experiment->info().name);
  }
  const std::string near = nearest_name(name, names);
  throw UsageError(fmt::format("{}", name), "is not an experiment",
                   near.empty() ? fmt::format("the experiments are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

}  // namespace orrery
