#pragma once

#include "app/gui/ui.h"
#include "app/player/director.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

/// The curves or cells that were predicted, those of a class behind one's own, and, once revealed,
/// the cells of the truth. A true curve is the figure's own.
void draw_answers(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                  const Director& director, const Ui& ui);

/// Words and a dot at places of the figure.
void draw_notes(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                const Director& director, const Ui& ui);

/// Dims figures that the step does not point at, frames cells and glows behind series that it does.
void draw_spotlights(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                     const Director& director, const Session& session, const Ui& ui);

}  // namespace orrery
