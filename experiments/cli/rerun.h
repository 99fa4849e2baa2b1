#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/data/load_inputs.h"
#include "experiments/model/experiment.h"
#include "experiments/results/figure_options.h"

namespace orrery {

/// What a result was computed with, by its manifest.
struct SavedRun {
  const Experiment* experiment{};
  ParamSet params;
  FigureOptions figures{};
};

/// Reads the manifest of a result; a point of a sweep has its figures from the plan. Throws
/// UsageError: a sweep, or what no experiment computed; DataError: no manifest, another version of
/// the experiment, another plug-in; IoError: no such folder.
SavedRun saved_run(const std::filesystem::path& folder);

/// Throws DataError for an input that is not what the result in `folder` was computed from.
void require_same_inputs(const std::filesystem::path& folder, const std::vector<InputFile>& files);

/// The command line that computes it without its folder, into `out` where that is given.
Words command_again(const SavedRun& saved, const std::string& out, bool force);

}  // namespace orrery
