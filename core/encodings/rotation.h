#pragma once

#include "core/encodings/frequencies.h"
#include "core/precision.h"

namespace orrery {

/// rotation_at with the roundings of a low-precision implementation: of the position, of the angle
/// position·theta, and of cos and sin. theta comes in the format of Stage::inv_freq. An angle in
/// fp64 is exact, and its cos and sin are rounded once; one in fp32 or narrower is the product
/// rounded to fp32, and its cos and sin are rounded to fp32 before their own format, as where they
/// are computed in fp32 and cast. Cosines and sines of fp32 angles are the nearest fp32 numbers; a
/// library's may be their neighbours (tests/golden/pipelines.json states how often PyTorch's are).
/// Both are multiplied by `amplitude` before they are rounded to their format.
CosSin rounded_rotation(Position position, double theta, const StageRounding& rounding,
                        double amplitude = 1.0);

/// Whether rounded_rotation rounds at all: position, angle, cosine or sine.
bool rounds_rotation(const StageRounding& rounding);

}  // namespace orrery
