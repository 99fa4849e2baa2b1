#pragma once

#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/model/result.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Whether an experiment looks at a head by itself, so that it has the parameters "layer" and "head".
enum class EditedHead {
  looked_at,  ///< it has them
  declared    ///< they are declared with the edits
};

/// "edits" and what each of them reads; "edit", others in words.
std::vector<ParamSpec> edit_params(EditedHead head = EditedHead::looked_at);

/// The largest layer, head and pair that a model has: of "layer", "head", "edited_layer" and "pair".
std::vector<ValueInUse> edit_limits(int layers, int heads, const PositionPlan& plan);

/// The edits as parse_edit reads them, in the order of "edits", and those of "edit" behind them.
///
/// @param plan    of the model, whose pairing is exchanged
/// @param marked  heads that `silence_marked` means, where it is a choice: "16.0+11.1"
std::vector<std::string> edits_in(const ParamSet& params, const PositionPlan& plan,
                                  const std::string& marked = "");

}  // namespace orrery
