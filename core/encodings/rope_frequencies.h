#pragma once

#include <vector>

#include "core/encodings/rope_convention.h"
#include "core/precision.h"

namespace orrery {

/// theta of each pair after scaling, rad per token of its axis; those of p-RoPE's last pairs and of
/// time_still's axis 0 are 0. [pairs_of] The format is that of scaled_frequencies, whose errors it
/// throws.
std::vector<double> frequencies_of(const RopeConvention& convention, Precision format);
/// The same, negative where the rope turns clockwise: angles per token.
std::vector<double> turning_of(const RopeConvention& convention, Precision format);

}  // namespace orrery
