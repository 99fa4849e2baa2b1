#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// The most layers that are read.
inline constexpr int most_layers = 2048;
/// The most tokens of a window or a context.
inline constexpr std::int64_t most_tokens = std::int64_t{1} << 40;
/// The most channels of a head.
inline constexpr std::int64_t most_channels = 8192;

/// A model's layers with type, window and causal mask, and `encoding` where the type of layer or a
/// rule of the model leaves none: "none" for attention without positions, "not_attention" for
/// layers without any. Throws DataError: no number of layers, lists of another length.
std::vector<LayerPlan> layer_schedule(const ConfigValues& config,
                                      std::vector<std::string>& assumed);

}  // namespace orrery
