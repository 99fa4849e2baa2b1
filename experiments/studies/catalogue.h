#pragma once

#include <string_view>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

/// THE list of experiments, in the order in which menus show them.
const std::vector<const Experiment*>& experiment_catalogue();

/// Null where there is none such: a saved result may come from another version.
const Experiment* known_experiment(std::string_view name);

/// Throws UsageError naming the nearest experiment when there is none such.
const Experiment& find_experiment(std::string_view name);

/// The parameters of one of them at their defaults. What is made by copying them has the
/// declarations in common, which take more memory than a small plan.
const ParamSet& default_params(const Experiment& experiment);

}  // namespace orrery
