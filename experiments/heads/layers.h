#pragma once

#include "experiments/model/layers.h"

namespace orrery::heads {
using namespace search;
using namespace statistics;
using namespace tokenizers;
using namespace checkpoints;
}  // namespace orrery::heads
namespace orrery::setup {
using namespace heads;
}
namespace orrery::cli {
using namespace heads;
}
