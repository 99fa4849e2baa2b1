#pragma once

#include <cstddef>
#include <vector>

#include "core/params.h"
#include "core/types.h"

namespace orrery {

/// Which axis turns which pair, pairs in the order of their frequencies.
enum class AxisDesign {
  chunked,      ///< M-RoPE, Qwen2-VL: the sections one after another
  interleaved,  ///< M-RoPE, Qwen3-VL: axis a ≥ 1 has pairs a, a + A, … below A·section_a; axis 0
                ///< the rest, A the axes
  time_last,    ///< VideoRoPE: axes 1, 2, … in turn on the fast pairs, time on the slow ones
  time_still,  ///< HoPE: as VideoRoPE, and time has frequency 0
  axial,       ///< ViTs: sections one after another, and each has frequencies of its own
};

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
