#pragma once

#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/model/result.h"
#include "experiments/model_files/position_plan.h"

namespace orrery::setup {

/// "edits" and what each of them reads.
std::vector<ParamSpec> edit_params();

/// The largest layer, head and pair that a model has: of "layer", "head", "edited_layer" and "pair".
std::vector<ValueInUse> edit_limits(int layers, int heads, const PositionPlan& plan);

/// The edits as parse_edit reads them, in the order of "edits".
///
/// @param plan    of the model, whose pairing is exchanged
/// @param marked  heads that `silence_marked` means, where it is a choice: "16.0+11.1"
std::vector<std::string> edits_in(const ParamSet& params, const PositionPlan& plan,
                                  const std::string& marked = "");

}  // namespace orrery::setup
