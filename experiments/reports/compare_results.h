#pragma once

#include "experiments/model/result.h"
#include "experiments/reports/comparison.h"

namespace orrery::reports {

/// @param tolerance  relative differences up to it count as none
ResultComparison compare_results(const Result& a, const Result& b, double tolerance = 0);

}  // namespace orrery::reports
