#pragma once

#include <string>

#include "experiments/plans/position_plan.h"

namespace orrery::plans {

/// {"source", "format", "model_type", "layers": [{"layer", "type", "encoding", "pairing",
/// "head_dim", "rotary_dims", "rotary_begin", "base", "inv_freq": [in order of pairs, after
/// scaling], "attention_factor", "softmax_scale", "window", "causal", "temperature", "sections",
/// "params", "reasons"}], "assumed": [...]}. What a layer does not have is null.
std::string positions_json(const PositionPlan& plan);

}  // namespace orrery::plans
