#pragma once

#include "experiments/model/inputs.h"
#include "experiments/model/result.h"
#include "experiments/studies/model_layers/figures.h"

namespace orrery {

/// What the file says of each kind of layer, value by value with its reason, and what it does not
/// say: printed tables, and `positions.json` with every frequency.
/// @param path  of the file, as it was given
void add_answers(const LayersFound& found, const std::string& path, Result& result);

/// Where the layers of another file differ, printed in place of what each says, and a check that
/// they do not.
void add_comparison(const LayersFound& found, const PositionPlan& other, Result& result);

}  // namespace orrery
