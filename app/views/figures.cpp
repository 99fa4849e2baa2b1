#include "app/views/figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

Range positions(const Axis& axis, std::size_t count) {
  return {position_of(axis, 0, count), position_of(axis, count - 1, count)};
}

// In a range smaller than this fraction of its values, doubles cannot tell ticks apart.
constexpr double min_relative_span = 1e-10;
constexpr double max_magnitude = 1e200;

std::optional<Range> showable(double a, double b, AxisScale scale) {
  const Range range{std::min(a, b), std::max(a, b)};
  if (!std::isfinite(range.min) || !std::isfinite(range.max)) return std::nullopt;
  const double magnitude = std::max(std::abs(range.min), std::abs(range.max));
  if (magnitude > max_magnitude) return std::nullopt;
  if (!(range.max - range.min > min_relative_span * magnitude)) return std::nullopt;
  const bool logarithmic = scale == AxisScale::log2 || scale == AxisScale::log10;
  if (logarithmic && range.min <= 0.0) return std::nullopt;
  return range;
}

// This share of the bar at either end is a handle for that end; the rest moves both.
constexpr double end_part = 0.25;
// A smaller share of the previous range is an accident.
constexpr double min_part = 0.01;

Range about_zero(double end) { return {-std::abs(end), std::abs(end)}; }

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

std::optional<Range> between_pixels(const AxisMap& axis, double a, double b) {
  return showable(axis.to_data(a), axis.to_data(b), axis.scale);
}

std::optional<Range> panned(const AxisMap& axis, double by) {
  return between_pixels(axis, axis.at_min - by, axis.at_max - by);
}

std::optional<Range> zoomed(const AxisMap& axis, double at, double factor) {
  return between_pixels(axis, at + (axis.at_min - at) * factor, at + (axis.at_max - at) * factor);
}

Range kept_within(Range range, const Range& home) {
  const double span = std::min(range.max - range.min, home.max - home.min);
  const double low = std::clamp(range.min, home.min, home.max - span);
  return {low, low + span};
}

ColorGrip color_grip_at(const FigureLayout& frame, Meaning meaning, Point cursor) {
  if (!frame.color_bar.contains(cursor) || meaning == Meaning::cyclic) return ColorGrip::none;
  const double below_top = (cursor.y - frame.color_bar.y) / frame.color_bar.height;
  const double end = meaning == Meaning::diverging ? 0.5 : end_part;
  if (below_top < end) return ColorGrip::high;
  return below_top >= 1.0 - end ? ColorGrip::low : ColorGrip::both;
}

std::optional<Range> dragged_color(const AxisMap& axis, ColorGrip grip, Meaning meaning,
                                   double from, double to) {
  if (grip == ColorGrip::none) return std::nullopt;
  const double step = axis.to_data(to) - axis.to_data(from);
  const double span = axis.data.max - axis.data.min;
  Range range = axis.data;
  if (grip != ColorGrip::high) range.min += step;
  if (grip != ColorGrip::low) range.max += step;
  if (meaning == Meaning::diverging)
    range = about_zero(std::max(0.0, grip == ColorGrip::high ? range.max : -range.min));
  const bool usable = std::isfinite(range.min) && std::isfinite(range.max) &&
                      range.max - range.min > min_part * span;
  return usable ? std::optional(range) : std::nullopt;
}

std::optional<Range> zoomed_color(const AxisMap& axis, Meaning meaning, double at, double factor) {
  if (meaning == Meaning::cyclic) return std::nullopt;
  if (meaning == Meaning::diverging) at = 0.5 * (axis.at_min + axis.at_max);
  return zoomed(axis, at, factor);
}

}  // namespace orrery
