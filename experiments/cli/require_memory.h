#pragma once

#include <vector>

#include "experiments/model/experiment.h"

namespace orrery::cli {

/// How many runs can be computed at once, at most `wanted` and at least one: those that take the
/// most must fit together. Says what is lowered, and which run alone takes too much: the others are
/// still computed.
int threads_that_fit(const Experiment& experiment, const std::vector<const ParamSet*>& runs,
                     int wanted);

}  // namespace orrery::cli
