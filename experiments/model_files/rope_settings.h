#pragma once

#include <string>
#include <vector>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// RoPE of a layer as a configuration has it: base, slice, scaling, frequencies and temperature.
/// The layer has its number, type, head_dim and softmax_scale; where the file has null for its type
/// it gets no encoding. Throws DataError: values that no RoPE has.
void read_rope(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
               std::vector<std::string>& assumed);

}  // namespace orrery
