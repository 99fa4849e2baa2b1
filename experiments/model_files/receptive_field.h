#pragma once

#include <cstdint>
#include <vector>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// How far back the last token of a context sees through the layers of a model, from the last layer
/// down. Distances in tokens.
struct ReceptiveField {
  std::vector<double> reach;      ///< [layers + 1] the largest distance at all
  std::vector<double> half;       ///< [layers + 1] within which half of the influence lies
  std::vector<double> most;       ///< [layers + 1] within which 95 % lies
  std::vector<double> influence;  ///< [context] by distance, through all layers; sums to 1
};

/// The keys that a layer shows a query, as numbers on each side of it; of windows in blocks those
/// that the last query of a block sees. A layer without attention shows the query alone.
struct Reach {
  std::int64_t behind{};
  std::int64_t ahead{};
};
Reach reach_of(const LayerPlan& layer, std::int64_t context);

/// The plan's windows alone, with attention that is equal over the keys a query sees: a layer
/// passes on `residual` of what it got at the query itself and shares the rest among those keys.
/// What attention learns differs; a window bounds it. After l layers the influence p_l of position
/// j on the last token is p_{l+1}(j) = residual·p_l(j) + (1 − residual) Σ_i p_l(i) [j seen from
/// i]/n_i, n_i the keys that i sees. context ≥ 1, residual in [0, 1]. Cost: context·layers. After
/// Luo et al. 2016 (effective receptive field), who do so for convolutions.
ReceptiveField receptive_field(const PositionPlan& plan, std::int64_t context, double residual);

}  // namespace orrery
