#pragma once

#include "experiments/model/figure.h"
#include "experiments/model/result.h"

namespace orrery {

/// The numbers shown in a figure, as a table with the figure's name.
/// lines:   x and one column per series (with NAME_low and NAME_high where it has a band) when all
///          series share x and have different names; otherwise series, x, y (and low, high)
/// heatmap: rows and columns of the map, called "INDEX LABEL"; masked cells are nan
/// table:   its cells
/// vectors: x0, y0, x1, y1, value
Table table_of(const Figure& figure);

}  // namespace orrery
