#pragma once

#include "experiments/arrays/attend_layer.h"
#include "experiments/arrays/attend_mask.h"
#include "experiments/data/array_sink.h"

namespace orrery {

/// The table of FAVOR+'s projection, [M, d].
inline constexpr const char* favor_table_name = "linear.projection";

/// feature_map, features, variant, epsilon and weights of the linear kernel, each under "linear.",
/// read while kernel=linear.
std::vector<ParamSpec> linear_params();

/// attend() with kernel=linear, in the arithmetic T. Throws UsageError for an encoding that linear
/// attention has no door for, an odd number of features that are to be rotated in pairs, and a
/// projection that is not for the channels of q and k.
template <class T>
AttendResult attend_linear(const ParamSet& params, AttendInputs& in, const Tables& tables,
                           const AttendLayer& layout, const UserMask& mask, ArraySink& sink);

}  // namespace orrery
