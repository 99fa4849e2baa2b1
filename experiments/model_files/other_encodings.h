#pragma once

#include <string>
#include <vector>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/rope_settings.h"

namespace orrery {

/// Position encoding of an attention layer of a type that is not one of RoPE's, or of an unknown
/// type without keys of RoPE: ALiBi, T5, DeBERTa, Shaw, learned and absolute ones, and the types
/// whose files choose one, RoPE among them. Throws DataError.
void read_other_encoding(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
                         std::vector<std::string>& assumed);

}  // namespace orrery
