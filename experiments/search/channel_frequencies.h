#pragma once

#include <vector>

#include "experiments/search/pair_phasors.h"

namespace orrery {

/// Frequencies of a rope whose wiring does not keep lengths, so that pairs have no angle: for each
/// channel the frequency at which u cos nθ + v sin nθ of its inputs comes nearest to its output, by
/// a search on a grid that narrows as more rows are taken. Common offsets of positions do not
/// matter. Channels that share a frequency are pooled. [pairs_of(rope)]; empty with fewer than 4
/// positions.
std::vector<FrequencyEstimate> estimate_channel_frequencies(const WrittenRope& rope,
                                                            const RotationSample& sample);

}  // namespace orrery
