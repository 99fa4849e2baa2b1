#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// Wavelengths of the pairs against the context length, and where B_m = Σ cos(m θ_t) is first
/// negative.
class Spectrum final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
