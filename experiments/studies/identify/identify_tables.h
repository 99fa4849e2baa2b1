#pragma once

#include <vector>

#include "experiments/identify/tensor_report.h"
#include "experiments/model/result.h"

namespace orrery {

/// What the reports say: printed tables in the words of a reader, tables of numbers, a check that
/// fails where a tensor deviates from what was expected or has no explanation, the figure
/// "hypotheses", and `identify.json`, which has all of it.
void add_reports(const std::vector<TensorReport>& reports, const std::string& caption,
                 Result& result);

}  // namespace orrery
