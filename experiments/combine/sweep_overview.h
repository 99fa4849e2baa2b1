#pragma once

#include <filesystem>

#include "experiments/model/result.h"
#include "experiments/sweeps/sweep_index.h"

namespace orrery::combine {

/// The provenance of what sweep_overview() makes names this in place of an experiment.
inline constexpr const char* sweep_overview_name = "sweep_overview";

/// The points of a sweep drawn together, as its report shows them (see overview). Throws
/// what load_sweep does, and DataError where there is nothing to draw.
Result sweep_overview(const std::filesystem::path& folder);

/// What the sweep is of, as name and text. Throws what load_sweep does.
Facts sweep_facts(const std::filesystem::path& folder);

}  // namespace orrery::combine
