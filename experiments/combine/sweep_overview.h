#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/combine/dimensions.h"
#include "experiments/model/experiment.h"
#include "experiments/sweeps/point_record.h"
#include "experiments/sweeps/sweep_index.h"

namespace orrery {

/// The provenance of what sweep_overview() makes names this in place of an experiment.
inline constexpr const char* sweep_overview_name = "sweep_overview";

/// How its figures are shown.
ExperimentView sweep_overview_view();

/// The points of a sweep drawn together, as its report shows them, in the hue and the facet of
/// `look` (see overview). Of many points `progress` sees a sample first. Throws what load_sweep
/// does, and DataError where there is nothing to draw.
Result sweep_overview(const std::filesystem::path& folder, const PlotRequest& look,
                      Progress& progress);

/// The settings that differ between points, of which one may be the hue or the facet.
std::vector<std::string> varied_settings(const std::vector<PointRecord>& points);

/// What the sweep is of, as name and text. Throws what load_sweep does.
FolderFacts sweep_facts(const std::filesystem::path& folder);

}  // namespace orrery
