#pragma once

#include <cstdint>
#include <string_view>
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

/// What a pair of a RoPE layer meets in a context longer than its model was trained on. theta is
/// its frequency in the training, theta' that of the plan, L0 and L the lengths of both, or the
/// layer's window where that is shorter: no query is farther from a key.
enum class PairBand {
  still,         ///< theta' = 0: it carries no position
  extrapolated,  ///< theta' = theta: it turns on, through angles that the training showed
  interpolated,  ///< theta' < theta, and no angle is beyond those of the training
  unseen,  ///< L0·theta < 2π and L·theta' > L0·theta: angles that the training never showed
};

std::string_view name_of(PairBand band);

/// The frequencies of a RoPE layer before rope.scaling, rad per token in the order of pairs. Empty
/// for other layers.
std::vector<double> unscaled_frequencies(const LayerPlan& layer);

/// L0: the layer's rope.original_length, or `trained` where it names none. Tokens.
double trained_length(const LayerPlan& layer, double trained);

/// The band of each pair in a context of L tokens. [pairs], empty for layers without RoPE. Angles
/// are compared up to a relative 1e-9, the rounding of lengths and factors.
std::vector<PairBand> bands_of(const LayerPlan& layer, double trained, double context);

}  // namespace orrery
