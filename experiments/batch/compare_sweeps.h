#pragma once

#include <filesystem>

#include "experiments/batch/compare.h"
#include "experiments/batch/saved_sweep.h"

namespace orrery {

/// load_sweep that throws DataError for the first of its problems.
SavedSweep load_whole_sweep(const std::filesystem::path& folder);

/// Matched points whose files differ are loaded and compared in full. Throws as load_result does.
SweepComparison compare_sweeps(const SavedSweep& a, const SavedSweep& b);

}  // namespace orrery
