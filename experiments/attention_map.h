#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// One attention head over the tokens of a text, or over the user's own q, k (and v): weights,
/// logits and every named term as maps, for each encoding chosen.
class AttentionMap final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
