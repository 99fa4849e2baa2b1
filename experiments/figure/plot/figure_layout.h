#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/axis_map.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Order and range of a curve's x.
struct CurveOrder {
  bool sorted{};  ///< x never decreases, so that a binary search finds a sample
  Range x{};      ///< minimum and maximum; meaningless without points
};

/// Positions of a drawn figure's parts, for code that handles the mouse.
struct FigureLayout {
  Rect area{};
  Rect plot{};  ///< the data region; empty for a table
  AxisMap x{};
  AxisMap y{};
  Rect x_axis{};  ///< area of the axis's tick labels and label
  Rect y_axis{};
  struct LegendEntry {
    Rect box{};
    std::string series{};
  };
  std::vector<LegendEntry> legend{};       ///< without ghosts, which cannot be hidden
  std::vector<LegendEntry> ghost_names{};  ///< beside their lines, or in the legend
  Rect color_bar{};
  double content_bottom{};  ///< above the caption
  double legend_below{};    ///< height of a legend below the axes, on a page of a width
  AxisMap color{};
  std::vector<CurveOrder> curves{};  ///< one per series of a line plot, including hidden ones
  /// Of an equation of maps, whose plot is the box around them all: the maps, then their profiles.
  std::vector<FigureLayout> parts{};
};

/// Row and column of a map's cell.
struct Cell {
  std::size_t row{};
  std::size_t column{};
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The cell under a canvas point that is inside both the plot and the map.
std::optional<Cell> cell_at(const Heatmap& map, const FigureLayout& layout, Point point);
/// Position of a cell on the canvas; it may extend beyond the plot.
Rect cell_rect(const Heatmap& map, const FigureLayout& layout, Cell cell);

}  // namespace orrery
