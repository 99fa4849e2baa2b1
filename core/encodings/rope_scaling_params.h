#pragma once

#include <vector>

#include "core/encodings/rope_scaling.h"
#include "core/encodings/settings.h"

namespace orrery {

/// rope.scaling and what its choices read.
std::vector<ParamSpec> rope_scaling_params();
/// The lists of factors, one number per pair.
std::vector<TableSpec> rope_scaling_tables();
/// As these settings have it, for that many pairs. Throws UsageError for a list of another length,
/// and for one that the chosen scaling does not read.
RopeScaling rope_scaling_of(const EncodingSettings& settings, Index pairs);

}  // namespace orrery
