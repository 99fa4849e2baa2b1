#pragma once

#include <vector>

#include "experiments/search/pair_phasors.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// The rope with frequencies rounded to `format` and the base, near its own, at which most of them
/// are the estimated ones. A rounded frequency determines its base no better than to half a unit
/// in the last place; all of them together leave a short interval, of which the number with the
/// fewest digits is taken.
WrittenRope with_rounded_frequencies(const WrittenRope& rope, Precision format,
                                     const std::vector<FrequencyEstimate>& estimates);

}  // namespace orrery
