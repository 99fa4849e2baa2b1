#pragma once

#include <optional>
#include <string>

#include "core/types.h"
#include "experiments/model/layers.h"

namespace orrery::setup {

/// Describes the first distance with B_m = Σ cos(m θ_t) < 0, where arXiv 2405.14591 ends the
/// context that a base supports, or says that no distance up to `searched` has one.
std::string first_negative_text(const std::optional<Position>& found, Position searched);

}  // namespace orrery::setup
