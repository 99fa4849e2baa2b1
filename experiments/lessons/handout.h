#pragma once

#include <span>

#include "experiments/figure/document/document.h"
#include "experiments/lessons/lesson.h"
#include "experiments/lessons/step_state.h"
#include "experiments/model/progress.h"

namespace orrery {

/// A lesson on paper: its steps with figures, equations and room for predictions, the answers at the
/// end, and the command that makes each figure. Computes the states of the lesson. Throws as
/// check_lesson reports.
/// @param course  the lessons whose scoreboard this one goes on with
Document make_handout(const Lesson& lesson, std::span<const Lesson> course, ResultCache& results,
                      Progress& progress);

}  // namespace orrery
