#pragma once

#include <vector>

#include "experiments/model/result.h"
#include "experiments/studies/sequence_length/study.h"

namespace orrery {

/// Entropy and recent share by length, the mean logit by distance, the weights by offset, and what
/// becomes of each encoding past the training length: each as a figure and as a table.
void add_length_findings(const ParamSet& params, const std::vector<LengthStudy>& all,
                         Result& result);

}  // namespace orrery
