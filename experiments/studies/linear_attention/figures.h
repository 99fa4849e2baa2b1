#pragma once

#include "experiments/studies/linear_attention/variants.h"

namespace orrery {

/// Signs and sums of the weights of a map, and what is wrong with them. Those of eq. (19) are
/// scalars, too.
const Measures<LinearMap>& map_measures();

/// Weights by distance, row sums, negative part, error of FAVOR+, cost, and the maps of the first
/// family; every map as an array; measures of the variants, error of FAVOR+ and cost as tables.
void add_linear_figures(const ParamSet& params, const LinearFindings& found, Result& result);

}  // namespace orrery
