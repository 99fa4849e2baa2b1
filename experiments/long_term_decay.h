#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Fig. 2 of the paper for any d and base, beside the scores themselves under a named assumption.
class LongTermDecay final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
