#pragma once

#include "experiments/figure/plot/plot_context.h"

namespace orrery {

/// Finds the range of the map's values, and whether any is masked or NaN, where the cache has not
/// that of these values yet.
void refresh_range(HeatmapCache& cache, const Heatmap& map);

/// The range of a map's axis that holds its `count` cells to their outer edges.
Range cells_range(const Axis& axis, std::size_t count);

/// Draws the cells of a map over the whole of `plot`, without ticks, labels and colour bar, with
/// colours for `colors`, and records where they lie in the context's layout.
void draw_bare_map(PlotContext& context, const Heatmap& map, const Rect& plot, const Range& colors);

}  // namespace orrery
