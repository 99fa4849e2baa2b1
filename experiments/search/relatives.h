#pragma once

#include <cstddef>
#include <vector>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// The ropes that differ from this one in a single property: the precision of one stage, the rule
/// or the offset of positions, wiring, direction, pairing, order, slice, factor, scaling, base,
/// axes. If one wrong property made the estimator get others wrong, one of these has the others
/// right.
std::vector<WrittenRope> relatives_of(const WrittenRope& rope, std::size_t axes);

/// The rope on all channels of the head, ln theta falling as steeply from pair to pair.
WrittenRope with_whole_head(const WrittenRope& rope);

/// Ropes with the channels, the wiring and the direction of `way`, every known base with every
/// known scaling, of pairs that turn also at bf16 positions and angles: the `most` that leave the
/// least of a few rows. For tensors from which nothing can be estimated, because neighbouring rows
/// coincide or are few.
std::vector<WrittenRope> best_known_ropes(const WrittenRope& way, const RotationSample& few_rows,
                                          std::size_t most);

/// The base at which the rope leaves the least of the sample, from one that is within 2 %: the best
/// of a grid on a few rows, then Gauss and Newton's method on ln base. For every wiring, slice and
/// rule, along any axes. Frequencies, angles and tables are not rounded on the way.
double refined_base(const WrittenRope& rope, const RotationSample& sample,
                    const RotationSample& few_rows);

}  // namespace orrery
