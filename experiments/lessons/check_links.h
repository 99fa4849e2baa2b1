#pragma once

#include <string>
#include <vector>

#include "experiments/lessons/lesson.h"

namespace orrery {

/// Throws UsageError for a link to something that Orrery does not have: "lesson:07-decay",
/// "experiment:rotation", "encoding:rope", "preset:roformer_figure_2", "card:table-2".
void check_link(const std::string& target);

/// The symbols of the formulas of a step's equation and prose: "θ_t", "m".
std::vector<std::string> symbols_of(const LessonStep& step);

/// Throws UsageError unless a formula of the step has the symbol.
void check_symbol(const std::string& symbol, const LessonStep& step);

}  // namespace orrery
