#pragma once

#include <string>
#include <vector>

#include "experiments/identify/tensor_report.h"

namespace orrery {

/// {"tensors": [{"name", "shape", "format", "explained", "as_expected" (null without a
/// configuration), "rows", "moved", "deviations": [{"field", "expected", "found"}], "hypotheses": [{"text", "facts",
/// "defect", "expected", "tied", "residual", "largest", "evidence", "tells", "setting"}],
/// "notes"}]}.
std::string identify_json(const std::vector<TensorReport>& reports);

}  // namespace orrery
