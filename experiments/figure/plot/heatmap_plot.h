#pragma once

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/curve_cache.h"

namespace orrery {

/// The image of the key's cells with at most key.width × key.height pixels: one pixel per cell
/// where they fit (nearest neighbour when magnified), otherwise the mean or the maximum of the
/// cells under each pixel. Masked and NaN cells are left out; a pixel with no other cells gets
/// their colour (NaN before masked). Angles are averaged as directions; the maximum of a diverging
/// map is the value farthest from 0. Infinite values get the colours at the ends of the range; an
/// infinite angle has no direction and is drawn as NaN is.
/// Throws std::logic_error unless the arrays have the same shape [rows, columns].
/// Cost: about 1 ns per cell.
Image rasterised(const HeatmapCache::Key& key, const Colormap& map);

/// Rows and columns of a map; {0, 0} for null.
struct MapShape {
  std::size_t rows{};
  std::size_t columns{};
};
MapShape shape_of(const Array* values);

/// Finds the range of the map's values, and whether any is masked or NaN, where the cache has not
/// that of these values yet.
void refresh_range(HeatmapCache& cache, const Heatmap& map);

/// The range of a map's axis that holds its `count` cells to their outer edges.
Range cells_range(const Axis& axis, std::size_t count);

/// Draws the cells of a map over the whole of `plot`, without ticks, labels and colour bar, with
/// colours for `colors`, and records where they lie in the context's layout.
void draw_bare_map(PlotContext& context, const Heatmap& map, const Rect& plot, const Range& colors);

}  // namespace orrery
