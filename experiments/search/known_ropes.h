#pragma once

#include <cstddef>
#include <vector>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// Ropes with the channels, the wiring and the direction of `way`, every known base with every
/// known scaling, of pairs that turn also at bf16 positions and angles: the `most` that leave the
/// least of a few rows. For tensors from which nothing can be estimated, because neighbouring rows
/// coincide or are few.
std::vector<WrittenRope> best_known_ropes(const WrittenRope& way, const RotationSample& few_rows,
                                          std::size_t most);

}  // namespace orrery
