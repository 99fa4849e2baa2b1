#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Eq. (19), linear attention with RoPE, against softmax attention and against the two variants
/// that people write instead: signs and sums of the weights, what is left of relative position, how
/// near FAVOR+ comes, and what it costs.
class LinearAttentionExperiment final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
