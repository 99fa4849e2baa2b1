#include "experiments/results/figure_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/model/consistency.h"

namespace orrery {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

bool has_band(const Series& series) { return !series.band_low.empty(); }

/// To the bit, so that each curve can be read from the table again.
bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool share_x(const std::vector<Series>& series) {
  const Numbers& x = series.front().x;
  return std::all_of(series.begin(), series.end(), [&](const Series& one) {
    return std::equal(one.x.begin(), one.x.end(), x.begin(), x.end(), same_bits);
  });
}

/// The columns of a curve beside those of others.
Words wide_columns(const Series& series) {
  if (!has_band(series)) return {"x", series.name};
  return {"x", series.name, series.name + "_low", series.name + "_high"};
}

std::vector<Column> wide(const LinePlot& plot) {
  std::vector<Column> columns{{"x", plot.x.unit, plot.series.front().x}};
  for (const Series& series : plot.series) {
    const Words names = wide_columns(series);
    columns.push_back({names[1], plot.y.unit, series.y});
    if (!has_band(series)) continue;
    columns.push_back({names[2], plot.y.unit, series.band_low});
    columns.push_back({names[3], plot.y.unit, series.band_high});
  }
  return columns;
}

bool have_own_names(const LinePlot& plot) {
  std::set<std::string> names{"", "x"};
  for (const Series& series : plot.series) {
    const Words columns = wide_columns(series);
    if (!std::all_of(columns.begin() + 1, columns.end(),
                     [&](const std::string& name) { return names.insert(name).second; }))
      return false;
  }
  return true;
}

void append(Numbers& to, const Numbers& from) { to.insert(to.end(), from.begin(), from.end()); }

void append_band(Numbers& to, const Numbers& band, std::size_t points) {
  if (band.empty())
    to.insert(to.end(), points, nan);
  else
    append(to, band);
}

std::vector<Column> long_form(const LinePlot& plot) {
  Words names;
  Numbers x, y, low, high;
  for (const Series& series : plot.series) {
    names.insert(names.end(), series.x.size(), series.name);
    append(x, series.x);
    append(y, series.y);
    append_band(low, series.band_low, series.x.size());
    append_band(high, series.band_high, series.x.size());
  }
  std::vector<Column> columns{{"series", "", names}, {"x", plot.x.unit, x}, {"y", plot.y.unit, y}};
  if (std::any_of(plot.series.begin(), plot.series.end(), has_band)) {
    columns.push_back({"low", plot.y.unit, low});
    columns.push_back({"high", plot.y.unit, high});
  }
  return columns;
}

std::string indexed(std::size_t index, const Words& labels) {
  return labels.empty() ? fmt::format("{}", index) : fmt::format("{} {}", index, labels.at(index));
}

double cell(const Heatmap& map, std::size_t i) {
  const bool masked = map.masked && (*map.masked)[i] != 0.0;
  return masked ? nan : (*map.values)[i];
}

/// Whether all curves stand side by side.
bool is_wide(const LinePlot& plot) {
  return !plot.series.empty() && share_x(plot.series) && have_own_names(plot);
}

struct ColumnsOf {
  std::vector<Column> operator()(const LinePlot& plot) const {
    return is_wide(plot) ? wide(plot) : long_form(plot);
  }

  std::vector<Column> operator()(const Heatmap& map) const {
    const std::size_t rows = map.values->shape[0];
    const std::size_t width = map.values->shape[1];
    Words row_names;
    for (std::size_t row = 0; row < rows; ++row) row_names.push_back(indexed(row, map.row_labels));
    std::vector<Column> columns{{"row", map.y.unit, std::move(row_names)}};
    for (std::size_t j = 0; j < width; ++j) {
      Numbers values(rows);
      for (std::size_t row = 0; row < rows; ++row) values[row] = cell(map, row * width + j);
      columns.push_back({indexed(j, map.column_labels), "", std::move(values)});
    }
    return columns;
  }

  std::vector<Column> operator()(const TableFigure& table) const {
    std::vector<Column> columns;
    for (std::size_t j = 0; j < table.header.size(); ++j) {
      Words values;
      for (const Words& row : table.rows) values.push_back(j < row.size() ? row[j] : "");
      columns.push_back({plain_text(table.header[j]), "", std::move(values)});
    }
    return columns;
  }

  std::vector<Column> operator()(const VectorPlot& plot) const {
    Numbers x0, y0, x1, y1, value;
    for (const Arrow& arrow : plot.arrows) {
      x0.push_back(arrow.x0);
      y0.push_back(arrow.y0);
      x1.push_back(arrow.x1);
      y1.push_back(arrow.y1);
      value.push_back(arrow.value);
    }
    return {{"x0", plot.x.unit, x0},
            {"y0", plot.y.unit, y0},
            {"x1", plot.x.unit, x1},
            {"y1", plot.y.unit, y1},
            {"value", "", value}};
  }

  /// The maps are arrays of the result.
  std::vector<Column> operator()(const MapEquation& equation) const {
    return (*this)(equation.profiles);
  }
};

}  // namespace

std::vector<CurveCells> curve_cells(const LinePlot& plot) {
  const bool wide = is_wide(plot);
  std::vector<CurveCells> cells;
  std::size_t row = 0;
  for (const Series& series : plot.series) {
    if (wide)
      cells.push_back({wide_columns(series), 0});
    else
      cells.push_back({has_band(series) ? Words{"x", "y", "low", "high"} : Words{"x", "y"}, row});
    row += series.x.size();
  }
  return cells;
}

Table table_of(const Figure& figure) {
  const std::string inconsistency = inconsistency_of(figure);
  check_invariant(inconsistency.empty(), inconsistency);
  return {.name = figure.id,
          .caption = figure.caption,
          .columns = std::visit(ColumnsOf{}, figure.content)};
}

}  // namespace orrery
