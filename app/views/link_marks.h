#pragma once

#include <optional>

#include "app/gui/ui.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"

namespace orrery {

/// Lights the distance m − n that is pointed at elsewhere, or held: a line with a dot on every
/// curve of a plot by distance, the diagonal of a map of queries by keys. Other figures stay as
/// they are.
void draw_linked_distance(Canvas& canvas, const Figure& figure, const FigureLayout& frame,
                          const FigureView& view, double distance, const Ui& ui);

/// Lights the pair t that is pointed at elsewhere: a line with a dot on every curve of a plot by
/// pair, the row of a map of pairs, the arrow of a pair.
void draw_linked_pair(Canvas& canvas, const Figure& figure, const FigureLayout& frame,
                      const FigureView& view, std::size_t pair, const Ui& ui);

/// The pair that a figure reports under the cursor.
std::optional<std::size_t> pointed_pair(const Figure& figure, const FigureLayout& frame,
                                        const FigureView& view, Point cursor, const Ui& ui);

/// The position that a figure reports under the cursor: the distance, on a plot by distance or a
/// map of queries by keys.
std::optional<double> pointed_distance(const Figure& figure, const FigureLayout& frame,
                                       const FigureView& view, Point cursor);

}  // namespace orrery
