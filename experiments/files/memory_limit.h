#pragma once

#include <cstdint>

#include "experiments/model/layers.h"

namespace orrery::files {

/// Bytes of memory that this process may have: the machine's, or less where ulimit -v allows less.
std::uintmax_t memory_limit();

}  // namespace orrery::files
