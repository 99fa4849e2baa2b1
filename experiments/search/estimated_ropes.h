#pragma once

#include <vector>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// Ropes whose base, scaling and factor are estimated from the sample's rows at these positions
/// [rows, axes], for each likely way of pairing: families of frequencies that come near, with the
/// measured factor where it is not their own, and those of known bases with coarse frequencies and
/// angles, too. The stages of the others are fp32.
std::vector<WrittenRope> estimated_ropes(const RotationSample& sample,
                                         const AxisPositions& positions);

/// The same for wirings that do not keep the length of pairs, at the sample's own positions.
std::vector<WrittenRope> estimated_ropes_of_other_wirings(const RotationSample& sample);

/// The exact factor behind a measured one: within 4 roundings of the format none, the scaling's
/// own, its square, that of YaRN, the scale 1/√d of the logits or its product with the own one;
/// otherwise the number of fewest digits within a quarter of a rounding.
double told_factor(const WrittenRope& rope, double measured, Precision format);

/// The rope with the factor that was measured, where its own is another: as told, and as each known
/// one that is near. Empty where its own is the measured one.
std::vector<WrittenRope> with_measured_factor(const WrittenRope& rope, double measured,
                                              Precision format);

}  // namespace orrery
