#pragma once

#include "core/encodings/rope.h"
#include "experiments/plans/position_plan.h"
#include "experiments/search/written_rope.h"

namespace orrery::plans {

/// The channels among which pairs are made: the rotated slice, or the whole head of p-RoPE.
int paired_channels(const LayerPlan& layer);

/// A fraction such that floor(fraction·whole) is part in floating-point numbers.
double fraction_that_gives(int part, int whole);

/// RoPE on a head of paired_channels(layer), by the layer's parameters. Throws UsageError: what
/// Rope refuses.
Rope<double> planned_rope(const LayerPlan& layer);

/// What the layer should do to q and k, in the terms of experiments/search; a layer without RoPE rotates
/// nothing. Throws as planned_rope does.
WrittenRope planned_convention(const LayerPlan& layer);

/// Throws UsageError where cos and sin are multiplied by 0, which no encoding of the catalogue
/// does.
void require_rotation(const LayerPlan& layer);

}  // namespace orrery::plans
