#pragma once

#include "experiments/figure/plot/plot_context.h"

namespace orrery::figure {

/// Finds the range of the map's values, and whether any is masked or NaN, where the cache has not
/// that of these values yet.
void refresh_range(HeatmapCache& cache, const Heatmap& map);

/// Draws the cells of a map over the whole of `plot`, without ticks, labels and colour bar, with
/// colours for `colors`, and records where they lie in the context's layout.
void draw_bare_map(PlotContext& context, const Heatmap& map, const Rect& plot, const Range& colors);

}  // namespace orrery::figure
