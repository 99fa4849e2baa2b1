#pragma once

#include "experiments/model/layers.h"

// The layers that the C interface stands on.
namespace orrery::c {
using namespace checkpoints;
using namespace arrays;
using namespace verify;
using namespace findings;
using namespace sweeps;
}  // namespace orrery::c
