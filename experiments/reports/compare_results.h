#pragma once

#include "experiments/model/result.h"
#include "experiments/reports/comparison.h"

namespace orrery::reports {

ResultComparison compare_results(const Result& a, const Result& b);

}  // namespace orrery::reports
