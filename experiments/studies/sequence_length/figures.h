#pragma once

#include <vector>

#include "experiments/model/result.h"
#include "experiments/studies/sequence_length/study.h"

namespace orrery::studies {

/// Entropy and recent share by length, the mean logit by distance, the weights by offset, and one
/// table of what becomes of each encoding past the training length.
void add_length_figures(const ParamSet& params, const std::vector<LengthStudy>& all,
                        Result& result);

/// The same as numbers.
void add_length_tables(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result);

}  // namespace orrery::studies
