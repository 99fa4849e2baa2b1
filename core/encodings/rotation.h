#pragma once

#include "core/encodings/frequencies.h"
#include "core/precision.h"

namespace orrery {

/// rotation_at with the roundings of a low-precision implementation: of the position, of theta
/// (inv_freq), of their product (angle), and of cos and sin.
CosSin rounded_rotation(Position position, double theta, const StageRounding& rounding);

}  // namespace orrery
