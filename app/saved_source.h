#pragma once

#include "experiments/experiment.h"

namespace orrery {

/// A result that was saved, as if it were computed: its one parameter is the folder that it is read
/// from. So a session over it loads in the background, the newest choice wins, and a folder that is
/// damaged leaves the last result where it was.
class SavedSource : public Experiment {
 public:
  static constexpr const char* kFolder = "folder";

  const ExperimentInfo& info() const override;
  Result run(const ParamSet& params, const Inputs&, Progress&) const override;
};

}  // namespace orrery
