#pragma once

#include <string>

#include "app/gui/ui.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/lessons/lesson.h"

namespace orrery {

/// Covers what a step hides of a figure: the title, which may tell the answer, gives way to
/// `question`; a veil without a series covers the plot, or the part of it between its ends.
void draw_cover(Canvas& canvas, const FigureLayout& layout, const LessonStep& step,
                const std::string& figure, const std::string& question, const Ui& ui);

/// Whether a veil of the step covers all of the figure, so that nothing in it can be pointed at.
bool is_covered(const LessonStep& step, const std::string& figure);
/// Whether the step hides anything of the figure or asks about it.
bool is_asked_about(const LessonStep& step, const std::string& figure);

}  // namespace orrery
