#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "experiments/plans/position_plan.h"

namespace orrery::plans {

/// Sets inv_freq, attention_factor and "rope.fraction" of a RoPE layer from its head_dim,
/// rotary_dims, base, params and factors, by the same code as `orrery run`. Throws UsageError:
/// what Rope refuses, such as an odd number of channels or a factor below 1.
void complete_rope(LayerPlan& layer);

/// The channels of a head that each frequency of inv_freq turns, first and second of a pair, in its
/// order. Empty for layers without RoPE.
std::vector<std::pair<int, int>> channel_pairs(const LayerPlan& layer);

/// Turns one head's q or k of a RoPE layer in place, as the layer does at that position; M-RoPE
/// takes the same position on each axis. Other layers leave it. `x` has head_dim channels.
/// Throws UsageError for another number.
void rotate(const LayerPlan& layer, std::int64_t position, std::vector<double>& x);

}  // namespace orrery::plans
