#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

/// Where the table of a figure has the numbers of a curve: in which columns (x, y and, where it has
/// a band, low and high), from which row.
struct CurveCells {
  std::vector<std::string> columns{};
  std::size_t first_row{};
};
/// One for each series of the plot.
std::vector<CurveCells> curve_cells(const LinePlot& plot);

}  // namespace orrery
