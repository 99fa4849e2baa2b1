#pragma once

#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// For each row of an array, whether all its numbers are finite. A row runs along the last axis;
/// where that is the axis of queries, each number is a row.
std::vector<bool> finite_rows(const Array& array);

}  // namespace orrery
