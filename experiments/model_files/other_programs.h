#pragma once

#include <string>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Whether a file has the keys of a params.json, Mistral's or Meta's, rather than a config.json's.
bool is_params_file(const Json& root);
/// Its plan. Throws DataError.
PositionPlan read_params_file(const Json& root, const std::string& file,
                              const ReadOptions& options);

/// A configuration of TensorRT-LLM or MLC with the names that Transformers has for its keys; others
/// as they are. Sets the plan's format.
/// Throws DataError: a file of another kind, by name.
Json in_names_of_transformers(const Json& root, const std::string& file, PositionPlan& plan);

}  // namespace orrery
