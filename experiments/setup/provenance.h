#pragma once

#include <string>

#include "experiments/model/experiment.h"

namespace orrery {

/// The experiment and every setting that is read.
Provenance provenance_of(const ExperimentInfo& info, const ParamSet& params);

/// An experiment that runs `compute` and adds the provenance to its results. Before that it checks
/// what every experiment is checked for (check_encodings), and what `check` does.
Experiment with_provenance(ExperimentInfo info,
                           Result (*compute)(const ParamSet&, const Inputs&, Progress&),
                           void (*check)(const ParamSet&) = nullptr);

/// The same of a computation that hands its arrays to a sink, some rows at a time: `run` holds them,
/// and throws ResourceError for more than memory has.
Experiment streamed_with_provenance(ExperimentInfo info,
                                    Result (*compute)(const ParamSet&, const Inputs&, ArraySink&,
                                                      Progress&),
                                    void (*check)(const ParamSet&) = nullptr);

/// "d = 128 channels", "rope.scaling = yarn".
std::string setting_text(const ParamSpec& spec, const std::string& value);

/// Every used setting in one line: "d = 128 channels · base = 10000 · …". Figures carry it as
/// caption.
std::string caption_of(const ParamSet& params);
/// A figure's caption with only those of these settings in it that are not the default, for where
/// the settings are at hand.
std::string brief_caption(std::string caption, const ParamSet& params);

}  // namespace orrery
