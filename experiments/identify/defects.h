#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/identify/written_rope.h"

namespace orrery {

/// A mistake that implementations of RoPE have been shipped with.
struct RopeDefect {
  std::string name;         ///< snake_case: "base_lost"
  std::string description;  ///< what is computed instead, one sentence
  std::string source;       ///< where it was reported: "transformers #25681"
  /// The rope with this mistake, for tensors of so many rows. Empty where it cannot be
  /// made in the sound one: a scaling cannot be skipped where there is none.
  std::optional<WrittenRope> (*inject)(const WrittenRope& sound, Index rows);
};

/// Every known defect, the more frequent before the rarer.
const std::vector<RopeDefect>& rope_defects();

/// Throws UsageError naming the nearest.
const RopeDefect& find_rope_defect(std::string_view name);

}  // namespace orrery
