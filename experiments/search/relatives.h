#pragma once

#include <vector>

#include "experiments/search/written_rope.h"

namespace orrery {

/// The ropes that differ from this one in a single property: the precision of one stage, the rule
/// or the offset of positions, wiring, direction, pairing, order, slice, factor, scaling, base,
/// axes. If one wrong property made the estimator get others wrong, one of these has the others
/// right.
std::vector<WrittenRope> relatives_of(const WrittenRope& rope, std::size_t axes);

/// The rope on all channels of the head, ln theta falling as steeply from pair to pair.
WrittenRope with_whole_head(const WrittenRope& rope);

}  // namespace orrery
