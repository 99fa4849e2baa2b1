#pragma once

#include "experiments/figure/figure.h"
#include "experiments/result.h"

namespace orrery {

/// The numbers that a figure shows, named as the figure.
/// lines:   x and one column a series (with NAME_low and NAME_high where it has a band) when all
///          series share x and have names of their own; otherwise series, x, y (and low, high)
/// heatmap: one line a row and one column a column, called "INDEX LABEL"; masked cells are nan
/// table:   its cells
/// vectors: x0, y0, x1, y1, value
Table table_of(const Figure& figure);

}  // namespace orrery
