#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/figure/layout.h"

namespace orrery {

/// What lies under the cursor of a line plot: every visible curve at the sample nearest to it.
struct LineReadout {
  struct Entry {
    std::string name{};
    int color{};  ///< slot of the palette
    double value{};
    Point at{};
  };
  double x{};
  double at_x{};                 ///< canvas coordinate
  std::vector<Entry> entries{};  ///< from the highest value down; gaps last
};

/// Empty when the cursor is outside the plot or no sample is shown.
std::optional<LineReadout> read_lines(const LinePlot& plot, const FigureFrame& frame,
                                      const FigureView& view, Point cursor);

/// One cell of a map.
struct CellReadout {
  std::size_t row{};
  std::size_t column{};
  std::string row_label{};  ///< empty when the map has none
  std::string column_label{};
  double value{};
  bool masked{};
  Rect cell{};
};

/// Empty when the cursor is on no cell.
std::optional<CellReadout> read_cell(const Heatmap& map, const FigureFrame& frame, Point cursor);

/// A number as a readout shows it, to so many significant digits; NaN in words.
std::string readout_number(double value, int digits = 5);

/// "relative distance m − n" of an axis, as much of it as there is.
std::string axis_name(const Axis& axis);

}  // namespace orrery
