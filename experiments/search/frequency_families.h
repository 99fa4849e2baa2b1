#pragma once

#include <vector>

#include "experiments/search/pair_phasors.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// Every kind of scaling with known factors and lengths, none among them.
std::vector<RopeScaling> known_scalings();

/// A rope whose frequencies are near the measured ones, and how near: the mean square of the
/// differences in standard errors.
struct FamilyFit {
  WrittenRope rope{};
  double misfit{};
};

/// Ropes with the channels of `structure` whose frequencies come near the estimates, best first, at
/// most `most`: a base fitted to the slope of ln theta, with each scaling of known factors and
/// lengths; denominators other than r; p-RoPE; exponents without their sign. The base is looked for
/// in the fast pairs, which scalings leave alone, the factor in the slow ones.
std::vector<FamilyFit> fit_families(const WrittenRope& structure,
                                    const std::vector<FrequencyEstimate>& estimates,
                                    std::size_t most);

}  // namespace orrery
