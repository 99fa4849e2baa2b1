#pragma once

#include <vector>

#include "core/transformer/pass_edits.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Turns q and k of a model's layers as a program with the edit's defect does; as they should be
/// where a layer's rope cannot have it.
///
/// Rotations in fp64, rounded to T once. Rules that begin at a row begin at half of the tokens.
/// Throws UsageError for an unknown defect, and for one that no layer's rope can have.
template <class T>
Turn<T> defect_turn(const Edit& edit, const std::vector<LayerPlan>& layers, Index tokens);

}  // namespace orrery
