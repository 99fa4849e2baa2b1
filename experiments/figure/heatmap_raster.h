#pragma once

#include "experiments/figure/colormap.h"
#include "experiments/figure/layout.h"

namespace orrery {

/// The image of the key's cells, at most key.width by key.height pixels: one pixel a cell where
/// there is room for that (nearest when magnified), otherwise the mean or the maximum of the cells
/// under each pixel. Masked and NaN cells do not count among them and have their own colours when
/// nothing else is under the pixel (NaN before masked). Means of angles are means of directions;
/// the maximum of a diverging map is the value farthest from 0. Infinite values take the ends of
/// the range. Throws std::logic_error when the arrays are not [rows, columns] of the same shape.
/// Cost: about 1 ns a cell.
Image rasterised(const HeatmapCache::Key& key, const Colormap& map);

/// Rows and columns of a map; {0, 0} for null.
struct MapShape {
  std::size_t rows{};
  std::size_t columns{};
};
MapShape shape_of(const Array* values);

}  // namespace orrery
