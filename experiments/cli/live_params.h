#pragma once

#include <vector>

#include "core/params.h"

namespace orrery::cli {

// The keys of the commands that ask a model.
std::vector<ParamSpec> model_heads_params();
std::vector<ParamSpec> what_if_params();
std::vector<ParamSpec> settle_params();
std::vector<ParamSpec> lens_params();
std::vector<ParamSpec> patch_params();
std::vector<ParamSpec> repeat_params();
std::vector<ParamSpec> needle_params();
std::vector<ParamSpec> passport_params();

}  // namespace orrery::cli
