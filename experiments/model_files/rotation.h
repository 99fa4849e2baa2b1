#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Sets inv_freq and attention_factor of a RoPE layer from its convention, by the same code as
/// `orrery run`. Throws UsageError: what Rope and its parameters refuse, such as an odd number of
/// channels or a factor below 1.
void complete_rope(LayerPlan& layer);

/// Throws UsageError where cos and sin are multiplied by 0, which no encoding of the catalogue
/// does.
void require_rotation(const LayerPlan& layer);

/// The channels of a head that each frequency of inv_freq turns, first and second of a pair, in its
/// order. Empty for layers without RoPE.
std::vector<std::pair<int, int>> channel_pairs(const LayerPlan& layer);

/// Turns one head's q or k of a RoPE layer in place, as the layer does at that position; M-RoPE
/// takes the same position on each axis. Other layers leave it. `x` has d_head channels.
/// Throws UsageError for another number.
void rotate(const LayerPlan& layer, std::int64_t position, std::vector<double>& x);

}  // namespace orrery
