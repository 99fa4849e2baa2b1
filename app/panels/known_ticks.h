#pragma once

#include <optional>
#include <string>

#include "experiments/model/experiment.h"

namespace orrery {

// The values of papers and models on the slider that was drawn last.

/// Whether the slider has such ticks: known values lie in its range, on a scale that starts above
/// 0 or is linear.
bool has_ticks(const ParamSpec& spec);

/// Draws them below its grab.
void draw_ticks(const ParamSpec& spec);

/// The known value within a few pixels of the mouse, to which a drag snaps.
std::optional<double> tick_at_mouse(const ParamSpec& spec);

/// "10000 RoFormer, GPT-NeoX, Llama 2 · 500000 Llama 3"; empty where none is known.
std::string known_values_text(const ParamSpec& spec);

}  // namespace orrery
