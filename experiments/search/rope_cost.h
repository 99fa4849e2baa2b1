#pragma once

#include "experiments/search/written_rope.h"

namespace orrery {

/// How unusual a rope is: 0 for RoPE on half-split pairs with base 10000, about 1 for each property
/// that few programs have and 1.5 for one that none should. Ties are ordered by it.
double cost_of(const WrittenRope& rope);

}  // namespace orrery
