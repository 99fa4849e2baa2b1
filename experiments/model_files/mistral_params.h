#pragma once

#include <string>

#include "experiments/model_files/config_json.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/rope_settings.h"

namespace orrery {

/// Whether a file has the keys of Mistral's params.json (or Meta's) rather than a config.json's.
bool is_mistral_params(const Json& root);

/// The plan of a params.json: its weights are those of Meta's code, with pairs (2t, 2t+1). Its keys
/// are translated to those of a config.json: yarn.alpha is beta_slow, yarn.beta beta_fast,
/// llama_4_scaling.beta the temperature. Throws DataError.
PositionPlan read_mistral_params(const Json& root, const std::string& file,
                                 const ReadOptions& options);

}  // namespace orrery
