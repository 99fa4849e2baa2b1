#pragma once

#include <optional>

#include "app/ui.h"
#include "experiments/figure/layout.h"

namespace orrery {

/// Lights the distance m − n that is pointed at elsewhere, or held: a line with a dot on every
/// curve of a plot by distance, the diagonal of a map of queries by keys. Other figures stay as
/// they are.
void draw_linked_distance(Canvas& canvas, const Figure& figure, const FigureFrame& frame,
                          const FigureView& view, double distance, const Ui& ui);

/// What a figure says of the place under the cursor: the distance, on a plot by distance or a map
/// of queries by keys.
std::optional<double> pointed_distance(const Figure& figure, const FigureFrame& frame,
                                       const FigureView& view, Point cursor);

}  // namespace orrery
