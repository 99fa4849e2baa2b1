#pragma once

#include <cstddef>
#include <vector>

#include "core/encodings/rope_convention.h"
#include "core/params.h"
#include "core/types.h"

namespace orrery {

/// The design as axis_rope.design names it.
std::string_view name(AxisDesign design);

/// The axis of each pair. [Σ sections]. Throws UsageError for sections that leave pairs of an
/// interleaved design to no axis: those of an axis a ≥ 1 beyond A·section_a ≤ pairs.
std::vector<std::size_t> axes_of_pairs(AxisDesign design, const std::vector<Index>& sections);

/// axis_rope.design and what its choices read.
std::vector<ParamSpec> axis_design_params();
/// MHRoPE, axis_rope.design=per_head, is chunked: all pairs are in one section.
AxisDesign axis_design_of(const ParamSet& params);
/// Pairs of time, row and column: what the parameters ask for, or the shares that the design's
/// source has. [3] Throws UsageError when they ask for more pairs than there are.
std::vector<Index> axis_sections_of(const ParamSet& params, Index pairs);

}  // namespace orrery
