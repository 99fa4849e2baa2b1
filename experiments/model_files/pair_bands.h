#pragma once

#include <string_view>
#include <vector>

#include "experiments/model_files/position_plan.h"

namespace orrery {

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
