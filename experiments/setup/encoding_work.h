#pragma once

#include <string>

#include "experiments/model/layers.h"

namespace orrery::setup {

// What encodings take, in the operations of most_operations, as measured on one core.

/// The mean logit of like contents of d channels at one distance and head, see mean_logits.
double operations_per_mean_logit(const std::string& encoding, double d);

/// Queries or keys of d channels at one position, with what is summed over them.
double operations_per_content(const std::string& encoding, double d);

}  // namespace orrery::setup
