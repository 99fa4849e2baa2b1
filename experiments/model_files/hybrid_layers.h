#pragma once

#include <string>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Sets the type of a layer of a model that mixes attention with other layers, where the file says
/// it by a key of its own: attn_layer_indices, full_attn_idxs, attn_layer_period and _offset,
/// attn_type_list, hybrid_override_pattern, compress_ratios. False where it has none of them.
bool read_hybrid_type(const ConfigValues& config, LayerPlan& layer);

}  // namespace orrery
