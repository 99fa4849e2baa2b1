#pragma once

#include <vector>

#include "tests/bench/table.h"

namespace orrery::bench {

/// Steps of training small models, against PyTorch's.
std::vector<Operation> training_steps();

}  // namespace orrery::bench
