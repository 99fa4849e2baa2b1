#include "experiments/model/result.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace orrery {
namespace {

std::string in_axis(const Axis& axis, char name) {
  if (axis.range && !(axis.range->min <= axis.range->max))
    return fmt::format("the range of the {} axis is not in order", name);
  if (axis.whole && !(axis.whole->min < axis.whole->max))
    return fmt::format("the whole of the {} axis is not in order", name);
  if (!(axis.symlog_threshold > 0) || std::isinf(axis.symlog_threshold))
    return fmt::format("the symlog threshold of the {} axis is not a positive number", name);
  return {};
}

template <class Plot>
std::string in_axes(const Plot& plot) {
  const std::string x = in_axis(plot.x, 'x');
  return x.empty() ? in_axis(plot.y, 'y') : x;
}

std::string in_series(const Series& series) {
  const std::size_t points = series.x.size();
  if (series.y.size() != points)
    return fmt::format("a series has {} x and {} y", points, series.y.size());
  const std::size_t low = series.band_low.size(), high = series.band_high.size();
  if (low != high || (low != 0 && low != points))
    return fmt::format("a series has {} points, and a band of {} and {}", points, low, high);
  if (series.color < 0) return "a series has a negative colour";
  return {};
}

/// Whether there are as many numbers as the shape says; no product here can overflow.
bool fills(const Array& array) {
  const std::size_t rows = array.shape[0], columns = array.shape[1];
  return rows > 0 && array.size() % rows == 0 && array.size() / rows == columns && columns > 0;
}

std::string in_labels(const std::vector<std::string>& labels, std::size_t count, const char* what) {
  if (labels.empty() || labels.size() == count) return {};
  return fmt::format("a heatmap has {} {} and {} labels for them", count, what, labels.size());
}

std::string in_lines(const std::vector<MapLine>& lines) {
  for (const MapLine& line : lines)
    if (line.x.size() != line.y.size())
      return fmt::format("a line over a heatmap has {} x and {} y", line.x.size(), line.y.size());
  return {};
}

struct InContent {
  std::string operator()(const LinePlot& plot) const {
    for (const Series& series : plot.series)
      if (std::string found = in_series(series); !found.empty()) return found;
    return in_axes(plot);
  }

  std::string operator()(const Heatmap& map) const {
    if (!map.values || map.values->shape.size() != 2 || !fills(*map.values))
      return "a heatmap does not have a matrix of values";
    if (map.masked && (map.masked->shape != map.values->shape || !fills(*map.masked)))
      return "a heatmap has a mask of another shape than its values";
    if (map.range && !(map.range->min <= map.range->max))
      return "the range of a heatmap is not in order";
    std::string found = in_labels(map.row_labels, map.values->shape[0], "rows");
    if (found.empty()) found = in_labels(map.column_labels, map.values->shape[1], "columns");
    if (found.empty()) found = in_lines(map.lines);
    return found.empty() ? in_axes(map) : found;
  }

  std::string operator()(const TableFigure& table) const {
    for (const auto& row : table.rows)
      if (row.size() > table.header.size())
        return fmt::format("a row has {} cells and the header {}", row.size(), table.header.size());
    return {};
  }

  std::string operator()(const VectorPlot& plot) const { return in_axes(plot); }

  std::string operator()(const MapEquation& equation) const {
    if (equation.terms.empty()) return "an equation has no maps";
    if (equation.profiles.series.size() != equation.terms.size())
      return fmt::format("an equation has {} maps and {} profiles", equation.terms.size(),
                         equation.profiles.series.size());
    for (const MapTerm& term : equation.terms) {
      if (!(term.factor > 0) || std::isinf(term.factor))
        return "the factor of a map in an equation is not a positive number";
      if (std::string found = (*this)(term.map); !found.empty()) return found;
    }
    return (*this)(equation.profiles);
  }
};

std::size_t length(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

}  // namespace

std::string inconsistency_of(const Figure& figure) {
  return std::visit(InContent{}, figure.content);
}

std::string inconsistency_of(const Table& table) {
  for (const Column& column : table.columns)
    if (length(column) != length(table.columns.front()))
      return fmt::format("its columns have {} and {} values", length(table.columns.front()),
                         length(column));
  return {};
}

bool Check::holds() const {
  if (relation == Relation::at_most) return measured <= bound;
  if (relation == Relation::at_least) return measured >= bound;
  return measured == bound || std::abs(measured - bound) <= tolerance;
}

double Check::excess() const {
  if (relation == Relation::at_most) return measured - bound;
  if (relation == Relation::at_least) return bound - measured;
  return std::abs(measured - bound) - tolerance;
}

}  // namespace orrery
