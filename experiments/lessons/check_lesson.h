#pragma once

#include <cstddef>
#include <vector>

#include "experiments/lessons/parse_lesson.h"
#include "experiments/lessons/step_state.h"
#include "experiments/model/progress.h"

namespace orrery {

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
