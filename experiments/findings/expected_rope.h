#pragma once

#include "experiments/model_files/position_plan.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// What a layer of a configuration does to q and k of so many channels; one without RoPE turns
/// nothing. Throws UsageError: the layer's heads have another size, or cos and sin are multiplied
/// by 0.
WrittenRope expected_rope(const LayerPlan& layer, Index channels);

}  // namespace orrery
