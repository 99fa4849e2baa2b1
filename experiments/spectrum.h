#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Wavelengths of the pairs against the context length, and the context that the base bears.
class Spectrum final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
