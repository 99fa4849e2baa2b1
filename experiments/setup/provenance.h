#pragma once

#include <string>

#include "experiments/model/experiment.h"

namespace orrery::setup {

/// An experiment that runs `compute` and adds the provenance to its results.
Experiment with_provenance(ExperimentInfo info,
                           Result (*compute)(const ParamSet&, const Inputs&, Progress&));

/// Every used setting in one line: "d = 128 channels · base = 10000 · …". Figures carry it as
/// caption.
std::string caption_of(const ParamSet& params);

}  // namespace orrery::setup
