#pragma once

#include <string>
#include <vector>

#include "experiments/data/load_inputs.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// Identifies a point: the first 12 hexadecimal digits of the SHA-256 of the experiment's name and
/// version and its used parameters, sorted by key. A file counts by
/// its content, not its path, and so does a plug-in whose encoding is used. Unused parameters and
/// defaults that are spelled out make no difference.
/// @param files  as load_inputs returns them for the same params
std::string point_id(const ExperimentInfo& info, const ParamSet& params,
                     const std::vector<InputFile>& files);

}  // namespace orrery
