#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/model/experiment.h"
#include "experiments/studies/training/one_run.h"

namespace orrery {

/// A learning rate that was tried.
struct TriedRate {
  std::string encoding{};
  double rate{};
  double loss{};  ///< mean of the last tenth of its steps
  bool best{};
};

/// All of them, and the rates that were tried before.
struct Trained {
  std::vector<Run> runs{};
  std::vector<TriedRate> rates{};
  std::vector<ResultFile> files{};  ///< of the models that are kept
};

/// The tokens of sequences by which a model is judged, as multiples of those that it learned from:
/// 1, 1½, 2, 3, 4, up to "extrapolation".
std::vector<Index> judged_lengths(const ParamSet& params);

/// Trains every encoding with every seed, several at a time: the same numbers on any number of
/// threads. The data of a seed are the same for every encoding. Throws Stopped.
/// @param show  gets the models as they are, whenever somebody wants to see them
Trained train_all(const ParamSet& params, const Inputs& inputs, Progress& progress,
                  const std::function<void(const Trained&)>& show);

/// Operations of all of it, roughly.
double training_operations(const ParamSet& params);

}  // namespace orrery
