#pragma once

#include <functional>
#include <vector>

#include "experiments/studies/attend/attend_output.h"
#include "experiments/studies/attend/attend_projections.h"

namespace orrery {

/// The table of FAVOR+'s projection, [M, d].
inline constexpr const char* favor_table_name = "linear.projection";

/// feature_map, features, variant, epsilon and weights of the linear kernel, each under "linear.",
/// read while kernel=linear; and the table.
std::vector<ParamSpec> linear_params();

/// Attention of a batch entry in the arithmetic T, with kernel=linear; what is referred to outlives
/// it. Throws UsageError for an encoding that linear attention has no door for, an odd number of
/// features that are to be rotated in pairs, and a projection that is not for the channels of q and k.
template <class T>
std::function<void(std::size_t batch)> linear_kernel(const ParamSet& params, const AttendInputs& in,
                                                     const Tables& tables, const UserMask& mask,
                                                     AttendOutput<T>& out);

}  // namespace orrery
