#pragma once

#include "experiments/evaluate/attend_layer.h"

namespace orrery::evaluate {

/// Counts what overflowed in the arrays of the result; AttendResult says how.
void count_overflow(const AttendLayer& layout, AttendResult& result);

}  // namespace orrery::evaluate
