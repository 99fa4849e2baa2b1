#pragma once

#include <string>

#include "experiments/model/experiment.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// A sweep file, TOML as parse_sweep reads it, with a point for each kind of layer: settings that
/// the kinds share under [params], the others under [sweep], advancing together. Comments say which
/// layers a point stands for, what of them the experiment leaves out, and why layers that cannot
/// run are missing. Throws UsageError when none can, or when the experiment takes a model itself.
std::string plan_sweep(const PositionPlan& plan, const Experiment& experiment);

}  // namespace orrery
