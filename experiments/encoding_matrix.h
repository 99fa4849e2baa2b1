#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// What each encoding adds, turns or puts between two tokens, as a map, with no content at all.
class EncodingMatrix final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
