#pragma once

#include <string>
#include <vector>

#include "experiments/findings/tensor_report.h"

namespace orrery {

/// The reports for readers. Several tensors are summed up first: which explanation holds for how
/// many of them, and which disagree.
std::string identify_text(const std::vector<TensorReport>& reports);

/// {"tensors": [{"name", "shape", "format", "explained", "as_expected" (null without a
/// configuration), "deviations": [{"field", "expected", "found"}], "hypotheses": [{"text", "facts",
/// "defect", "expected", "tied", "residual", "largest", "evidence", "tells", "setting"}],
/// "notes"}]}.
std::string identify_json(const std::vector<TensorReport>& reports);

}  // namespace orrery
