#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/lessons/lesson.h"
#include "experiments/lessons/parse_lesson.h"
#include "experiments/lessons/step_state.h"
#include "experiments/model/progress.h"

namespace orrery {

/// Throws UsageError for a link to something that Orrery does not have: "lesson:07-decay",
/// "experiment:rotation", "encoding:rope", "preset:roformer_figure_2", "card:table-2".
void check_link(const std::string& target);

/// The symbols of the formulas of a step's equation and prose: "θ_t", "m".
std::vector<std::string> symbols_of(const LessonStep& step);

/// Throws UsageError unless a formula of the step has the symbol.
void check_symbol(const std::string& symbol, const LessonStep& step);

/// What a check found.
struct LessonCheck {
  std::vector<Problem> problems{};  ///< those of parsing too, by line
  std::size_t assertions{};         ///< that were evaluated
};

/// Computes every step's state and evaluates all that is stated about it: expectations, the truth
/// of predictions, that tasks are open before and done after what does them, notes, what is pointed
/// at or hidden, and links. Throws Stopped.
LessonCheck check_lesson(const ParsedLesson& parsed, const std::string& file, ResultCache& results,
                         Progress& progress);

}  // namespace orrery
