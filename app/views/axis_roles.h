#pragma once

#include <optional>
#include <string>

#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

// The axes that figures of different experiments have in common, so that what is pointed at in
// one is found in another.

/// The axis' symbol; its label where it has none.
std::string short_name(const Axis& axis);
/// The axis value at the middle of a cell: its index, unless the axis has a range.
double position_of(const Axis& axis, std::size_t index, std::size_t count);
/// The same in whole tokens, for a cell that may be of several distances.
double distance_at(const Axis& axis, std::size_t index, std::size_t count);
/// Whether x is the distance m − n of two tokens.
bool is_by_distance(const LinePlot& plot);
bool is_by_distance(const Heatmap& map);
/// Whether x, the rows or the arrows are pairs of channels.
bool is_by_pair(const LinePlot& plot);
bool is_by_pair(const Heatmap& map);
bool is_by_pair(const VectorPlot& plot);
/// Whether rows are queries and columns keys.
bool is_query_by_key(const Heatmap& map);
/// m − n of a cell of such a map.
double distance_of(const Heatmap& map, Cell cell);
/// The two ends of the line through the middles of the cells at a distance m − n, in the data of
/// the axes, from the top left; empty when the map has no such cells.
struct Diagonal {
  double column0{}, row0{}, column1{}, row1{};
};
std::optional<Diagonal> diagonal_at(const Heatmap& map, double distance);

}  // namespace orrery
