#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// The scores as the sum of their named terms, eq. (6)–(10): maps that add up.
class ScoreDecomposition final : public Experiment {
 public:
  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const override;
};

}  // namespace orrery
