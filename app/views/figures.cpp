#include "app/views/figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

std::optional<std::array<Point, 2>> diagonal_at(const Heatmap& map, double distance) {
  if (!is_query_by_key(map)) return std::nullopt;
  const Range rows = positions(map.y, map.values->shape.at(0));
  const Range columns = positions(map.x, map.values->shape.at(1));
  const double first = std::max(columns.min, rows.min - distance);
  const double last = std::min(columns.max, rows.max - distance);
  if (first > last) return std::nullopt;
  return std::array{Point{first, first + distance}, Point{last, last + distance}};
}

std::vector<TermOnScreen> parts_of(const MapEquation& equation, const FigureLayout& frame) {
  const std::size_t terms = equation.terms.size();
  std::vector<TermOnScreen> parts;
  // A frame of the figure before may have another number of maps.
  if (frame.parts.size() != 2 * terms) return parts;
  for (std::size_t i = 0; i < frame.parts.size(); ++i)
    parts.push_back({i % terms, i >= terms, frame.parts[i]});
  return parts;
}

std::optional<TermOnScreen> part_at(const MapEquation& equation, const FigureLayout& frame,
                                    Point point) {
  for (TermOnScreen& part : parts_of(equation, frame))
    if (part.frame.plot.contains(point)) return std::move(part);
  return std::nullopt;
}

Heatmap map_of_part(const MapEquation& equation, std::size_t term) {
  Heatmap map = equation.terms[term].map;
  map.quantity = equation.terms[term].name;
  return map;
}

std::optional<MapOfEquation> map_in_equation(const Figure& figure, const FigureLayout& frame,
                                             std::size_t term) {
  const auto* equation = std::get_if<MapEquation>(&figure.content);
  if (!equation || term >= equation->terms.size() ||
      frame.parts.size() != 2 * equation->terms.size())
    return std::nullopt;
  return MapOfEquation{
      {.id = figure.id, .content = map_of_part(*equation, term), .role = figure.role},
      frame.parts[term]};
}

LinePlot profile_of_part(const MapEquation& equation, std::size_t term) {
  const LinePlot& all = equation.profiles;
  return {.x = all.x, .y = all.y, .series = {all.series[term]}};
}

}  // namespace orrery
