#pragma once

#include <string>

#include "experiments/lessons/block_text.h"
#include "experiments/lessons/lesson.h"
#include "experiments/text/guarded.h"

namespace orrery {

/// Reads a block into the lesson or its step; `step` is null above the first one. Every statement
/// of the block is read under the guard, so that one error hides no other. Throws UsageError for a
/// block of an unknown name, in the wrong place or a second time.
void read_block(const LessonBlock& block, Lesson& lesson, LessonStep* step, const Guarded& guarded);

/// "with KEY=VALUE …: ASSERTION", or an assertion alone.
Expectation read_expectation(int line, const std::string& text);

/// Reads the block predict.
Prediction read_prediction(const LessonBlock& block, const Guarded& guarded);

/// Reads the block scoreboard: the wishes and codes that a lesson brings into its course.
void read_scoreboard(const LessonBlock& block, Lesson& lesson, const Guarded& guarded);

/// Reads the block tick: the boxes of the scoreboard that a step settles.
void read_ticks(const LessonBlock& block, LessonStep& step, const Guarded& guarded);

}  // namespace orrery
