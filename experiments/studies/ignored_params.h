#pragma once

#include <string_view>

#include "core/params.h"

namespace orrery::studies {

/// Whether a figure of an experiment shows the same whatever value the parameter `key` has, the
/// others being set like this: no head of RoPE differs from another. False where that is not known.
bool is_ignored(std::string_view experiment, std::string_view figure_id, std::string_view key,
                const ParamSet& params);

}  // namespace orrery::studies
