#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Shifts every position by s and measures how far the logits move: nothing but rounding for a
/// relative encoding, a real change for an absolute one.
class RelativeInvariance final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
