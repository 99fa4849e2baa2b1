#pragma once

#include <string_view>
#include <vector>

#include "experiments/experiment.h"

namespace orrery {

/// THE list of experiments, in the order people meet them.
const std::vector<const Experiment*>& experiment_catalogue();

/// Throws UsageError naming the nearest experiment when there is none such.
const Experiment& find_experiment(std::string_view name);

}  // namespace orrery
