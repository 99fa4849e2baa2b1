#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Fig. 1 of the paper: pairs of channels turning with position, and the phasors that add up to the
/// score.
class Rotation final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
