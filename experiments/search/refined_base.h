#pragma once

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// The base at which the rope leaves the least of the sample, from one that is within 2 %: the best
/// of a grid on a few rows, then Gauss and Newton's method on ln base. For every wiring, slice and
/// rule, along any axes. Frequencies, angles and tables are not rounded on the way.
double refined_base(const WrittenRope& rope, const RotationSample& sample,
                    const RotationSample& few_rows);

}  // namespace orrery
