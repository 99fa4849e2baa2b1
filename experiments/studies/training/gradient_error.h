#pragma once

#include "core/training/trainer.h"
#include "experiments/studies/training/tasks.h"

namespace orrery::studies {

/// |g·d − (L(w + εd) − L(w − εd))/2ε| / ‖g‖ at the weights w of a trained model, in fp64: g the
/// gradient of the loss L of two sequences, d independent normals, so that g·d has deviation ‖g‖.
/// The smaller one of ε = 1e-7 and 1e-8: a kink of ReLU may lie within the longer step, and a
/// gradient that is wrong is so for both.
double gradient_error(const ParamSet& params, const Task& task, const Trainer<float>& trainer,
                      std::int64_t seed);

}  // namespace orrery::studies
