#pragma once

#include <vector>

#include "experiments/model/figure.h"

namespace orrery::evaluate {

/// Whether each row of an array holds finite numbers alone. A row is what the last axis runs over;
/// where that is the axis of queries, each number is a row.
std::vector<bool> finite_rows(const Array& array);

}  // namespace orrery::evaluate
