#pragma once

#include <vector>

#include "experiments/model/result.h"
#include "experiments/studies/linear_attention/variants.h"

namespace orrery {

/// Checks what is claimed of the maps, of the outputs and of the sweep over FAVOR+ features. A
/// claim that there is an effect is made where rounding and chance cannot hide it; elsewhere the
/// effect is a number without a check.
void add_linear_claims(const LinearInputs& in, const std::vector<VariantFamily>& families,
                       const FavorSweep& sweep, Result& result);

}  // namespace orrery
