#pragma once

#include "core/training/network.h"
#include "experiments/studies/training/tasks.h"

namespace orrery {

/// A model as it is trained.
template <class T>
struct ModelShape {
  TrainedDesign<T> design{};
  ModelSizes sizes{};
};

/// The choices of the parameter "model".
std::vector<Choice> shape_choices();

/// "model" with "layers", "heads", "dim" and "attention".
template <class T>
ModelShape<T> model_shape(const ParamSet& params, const Task& task);

}  // namespace orrery
