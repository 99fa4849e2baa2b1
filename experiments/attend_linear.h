#pragma once

#include "experiments/attend_layer.h"

namespace orrery {

/// feature_map, features, variant, epsilon and weights of the linear kernel, each under "linear.",
/// read while kernel=linear.
std::vector<ParamSpec> linear_params();

/// attend() with kernel=linear, in the arithmetic T. Throws UsageError for an encoding that linear
/// attention has no door for.
template <class T>
AttendResult attend_linear(const ParamSet& params, const AttendInputs& in, const Tables& tables,
                           const AttendLayer& layout);

}  // namespace orrery
