#pragma once

#include <string>
#include <vector>

#include "experiments/model/experiment.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// A layer as parameters of an experiment: `encoding`, `dim`, `base`, `causal` and those of the
/// encoding, as far as the experiment has them; M-RoPE is axis_rope where the experiment has it,
/// and RoPE at one position elsewhere. Throws UsageError: a layer without attention or with an
/// encoding that is not in the catalogue, LongRoPE's and other lists of factors, which are tables
/// and no parameters, or an experiment that has none of the layer's parameters.
std::vector<PlannedSetting> layer_settings(const LayerPlan& layer,
                                           const std::vector<ParamSpec>& specs);

/// What the layer does that no parameter of the experiment says: a window, a temperature, sections
/// of M-RoPE, a slice that is not the first, turning clockwise. One phrase each.
std::vector<std::string> left_out(const LayerPlan& layer, const std::vector<ParamSpec>& specs);

/// The layer of that number. Throws UsageError when there is none.
const LayerPlan& layer_of(const PositionPlan& plan, std::int64_t number);

}  // namespace orrery
