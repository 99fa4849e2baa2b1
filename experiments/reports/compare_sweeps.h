#pragma once

#include <filesystem>

#include "experiments/reports/comparison.h"
#include "experiments/sweeps/saved_sweep.h"

namespace orrery::reports {

/// load_sweep, but throws DataError for the first problem.
SavedSweep load_whole_sweep(const std::filesystem::path& folder);

/// Compares two sweeps; matched points whose files differ are loaded and compared in full. Throws
/// as load_result does.
SweepComparison compare_sweeps(const SavedSweep& a, const SavedSweep& b, double tolerance);

}  // namespace orrery::reports
