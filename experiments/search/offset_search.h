#pragma once

#include <vector>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// Offsets of all positions, from −2^12 to 2^20, at which the pairs of the rope agree best, at most
/// 4. Each pair determines the offset modulo its own wavelength.
std::vector<Position> likely_offsets(const WrittenRope& rope, const RotationSample& sample,
                                     int threads);

/// The rope with each rule of positions: where a rule begins at a row, at the row from which on it
/// fits better, found in the sample and then among the tensor's rows beside it.
std::vector<WrittenRope> likely_rules(const WrittenRope& rope, const RotationSample& sample,
                                      const RotatedTensor& tensor);

}  // namespace orrery
