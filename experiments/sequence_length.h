#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Positions past the training length: what logits, weights and their entropy do there, whether a
/// shifted window sees the same, and whether decoding step by step equals prefill.
class SequenceLength final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
