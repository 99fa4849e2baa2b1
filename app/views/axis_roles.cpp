#include "app/views/axis_roles.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery {
namespace {

Range positions(const Axis& axis, std::size_t count) {
  return {position_of(axis, 0, count), position_of(axis, count - 1, count)};
}

}  // namespace

std::string short_name(const Axis& axis) { return axis.symbol.empty() ? axis.label : axis.symbol; }

double position_of(const Axis& axis, std::size_t index, std::size_t count) {
  const auto i = static_cast<double>(index);
  if (!axis.range || count < 2) return i;
  const double part = i / static_cast<double>(count - 1);
  const auto [min, max] = *axis.range;
  const bool log = axis.scale == AxisScale::log2 || axis.scale == AxisScale::log10;
  return log && min > 0 ? min * std::pow(max / min, part) : min + part * (max - min);
}

double distance_at(const Axis& axis, std::size_t index, std::size_t count) {
  return std::round(position_of(axis, index, count));
}

bool is_by_distance(const LinePlot& plot) { return plot.x.role == AxisRole::relative_distance; }

bool is_by_distance(const Heatmap& map) {
  return map.values && map.values->size() > 0 && map.x.role == AxisRole::relative_distance;
}

bool is_by_pair(const LinePlot& plot) { return plot.x.role == AxisRole::pair; }

bool is_by_pair(const Heatmap& map) {
  return map.values && map.values->size() > 0 && map.y.role == AxisRole::pair;
}

bool is_by_pair(const VectorPlot& plot) { return plot.value_role == AxisRole::pair; }

bool is_query_by_key(const Heatmap& map) {
  return map.values && map.values->size() > 0 && map.y.role == AxisRole::query_position &&
         map.x.role == AxisRole::key_position;
}

double distance_of(const Heatmap& map, Cell cell) {
  const std::vector<std::size_t>& shape = map.values->shape;
  return position_of(map.y, cell.row, shape.at(0)) - position_of(map.x, cell.column, shape.at(1));
}

std::optional<Diagonal> diagonal_at(const Heatmap& map, double distance) {
  if (!is_query_by_key(map)) return std::nullopt;
  const Range rows = positions(map.y, map.values->shape.at(0));
  const Range columns = positions(map.x, map.values->shape.at(1));
  const double first = std::max(columns.min, rows.min - distance);
  const double last = std::min(columns.max, rows.max - distance);
  if (first > last) return std::nullopt;
  return Diagonal{first, first + distance, last, last + distance};
}

}  // namespace orrery
