#pragma once

#include "core/identify/rotation_sample.h"
#include "core/identify/written_rope.h"

namespace orrery {

/// The base at which the rope's angles come nearest to those of the sample, from a base that is
/// near already: Gauss and Newton's method on ln base, each angle taken modulo 2π. For ropes that
/// turn pairs, at one axis of positions.
double refined_base(const WrittenRope& rope, const RotationSample& sample);

}  // namespace orrery
