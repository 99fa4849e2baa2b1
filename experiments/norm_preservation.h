#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// What an encoding that changes vectors does to their length, position by position.
class NormPreservation final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
