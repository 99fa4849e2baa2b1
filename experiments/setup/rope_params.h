#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/encodings/rope.h"

namespace orrery {

/// RoPE's own parameters for an experiment about RoPE alone, where no choice of encoding decides
/// whether they are read. What acts on values only, or on the score only, is left out.
std::vector<ParamSpec> rope_params();

/// RoPE in fp64 as these parameters have it; what they do not name is at its default.
/// Throws UsageError as Rope does.
Rope<double> rope_of(const ParamSet& params, Index d_head);

/// Describes the first distance with B_m = Σ cos(m θ_t) < 0, where arXiv 2405.14591 ends the
/// context that a base supports, or says that no distance up to `searched` has one.
std::string first_negative_text(const std::optional<Position>& found, Position searched);

}  // namespace orrery
