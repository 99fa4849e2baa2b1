#pragma once

#include <string>
#include <vector>

#include "experiments/data/inputs.h"
#include "experiments/experiment.h"

namespace orrery {

/// The name of a point: the first 12 hexadecimal digits of the SHA-256 of the experiment's name and
/// version and its used parameters, sorted by key. For a file its content counts, not its path.
/// Unused parameters, and defaults that are spelled out, make no difference.
/// @param files  from load_inputs with the same params
std::string point_id(const ExperimentInfo& info, const ParamSet& params,
                     const std::vector<InputFile>& files);

}  // namespace orrery
