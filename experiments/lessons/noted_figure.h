#pragma once

#include "experiments/figure/plot/draw_figure.h"
#include "experiments/lessons/handout.h"

namespace orrery::lessons {

/// Draws a figure with its notes: a dot at the place and the words beside it.
void draw_noted_figure(figure::Canvas& canvas, const HandoutPicture& picture,
                       const figure::Rect& area, const figure::FigureStyle& style);

/// Height of a figure of that width, with room for title and caption.
double noted_height(const HandoutPicture& picture, double width);

}  // namespace orrery::lessons
