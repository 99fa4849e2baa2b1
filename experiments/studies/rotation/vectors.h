#pragma once

#include <vector>

#include "experiments/setup/eigen_arrays.h"

namespace orrery {

/// "content", and what it reads: "dim", "q", "k", "head", "row", "channels".
std::vector<ParamSpec> vector_params();

/// The query and the key that rotate. Throws UsageError without a file of q where "content" asks
/// for one, and DataError for files without such a row or of different d.
QkPair vectors_of(const ParamSet& params, const Inputs& inputs);

}  // namespace orrery
