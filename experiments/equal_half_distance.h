#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Encodings side by side where each has lost half of its logit at the same distance, instead of at
/// settings that mean different things: finds the base, slope or scale that does it.
class EqualHalfDistance final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
