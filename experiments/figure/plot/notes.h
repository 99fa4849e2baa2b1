#pragma once

#include <span>
#include <string>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

/// Words at a point of a figure, in data coordinates; on a map x is the column and y the row.
struct PlacedNote {
  std::string figure{};  ///< id of its figure
  double x{};
  double y{};
  std::string text{};
};

/// Draws notes over a figure: a dot at the place and the words beside it.
void draw_notes(Canvas& canvas, std::span<const PlacedNote> notes, const FigureLayout& layout,
                const FigureStyle& style);

}  // namespace orrery
