#include "experiments/results/figure_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/results/curves_json.h"
#include "experiments/results/json_fields.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Json = nlohmann::ordered_json;
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

/// Where the table of a figure has the numbers of a curve: in which columns (x, y and, where it has
/// a band, low and high), from which row.
struct CurveCells {
  Words columns{};
  std::size_t first_row{};
};

/// One for each series of the plot.
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

const EnumNames<LineStyle> style_names{{LineStyle::solid, "solid"},
                                       {LineStyle::dashed, "dashed"},
                                       {LineStyle::dotted, "dotted"},
                                       {LineStyle::points, "points"}};

bool is_long(const Series& series) { return series.x.size() > most_rows_in_json; }

// ---- Written
// -------------------------------------------------------------------------------------

/// @param cells  where its numbers are; null to write them out
Json series_json(const Series& series, const CurveCells* cells) {
  Json json{{"name", series.name},
            {"style", name_in(style_names, series.style)},
            {"color", series.color}};
  if (cells) {
    json["columns"] = cells->columns;
    json["first_row"] = cells->first_row;
    json["rows"] = series.x.size();
  } else {
    json["x"] = numbers_json(series.x);
    json["y"] = numbers_json(series.y);
    json["band_low"] = numbers_json(series.band_low);
    json["band_high"] = numbers_json(series.band_high);
  }
  if (series.shade) json["shade"] = number_json(*series.shade);
  if (series.marked) json["marked"] = true;
  if (!series.label.empty()) json["label"] = series.label;
  if (series.is_part()) json["part_of"] = series.part_of;
  if (series.is_ghost()) json["ghost"] = series.ghost;
  return json;
}

/// The figure's table without its caption, where a curve is to be read from it.
std::optional<Table> table_of_long_curves(const Figure& figure, const LinePlot& plot) {
  if (std::none_of(plot.series.begin(), plot.series.end(), is_long)) return std::nullopt;
  Table table = table_of(figure);
  if (!is_in_csv_alone(table)) return std::nullopt;
  table.caption.clear();
  return table;
}

// ---- Read
// ----------------------------------------------------------------------------------------

/// The table that curves are read from. It limits their total size, because many curves that name
/// the same rows would fill the memory from a small file.
class CurveTable {
 public:
  explicit CurveTable(const Table& table) {
    for (const Column& column : table.columns)
      if (const auto* numbers = std::get_if<Numbers>(&column.values)) {
        columns_.emplace(column.name, numbers);
        rows_ = numbers->size();
      }
    left_ = 2 * rows_ * columns_.size();
  }

  void read(const Json& json, Series& series) {
    const std::vector<std::string> names = texts_field(json, "columns");
    if (names.size() != 2 && names.size() != 4)
      throw MalformedJson("'columns' does not name x and y, or x, y, low and high");
    const std::size_t first = size(json, "first_row", rows_);
    const std::size_t count = size(json, "rows", rows_ - first);
    if (count * names.size() > left_) throw MalformedJson("'series' names the same rows again");
    left_ -= count * names.size();
    Numbers* parts[] = {&series.x, &series.y, &series.band_low, &series.band_high};
    for (std::size_t i = 0; i < names.size(); ++i) *parts[i] = numbers(names[i], first, count);
  }

 private:
  static std::size_t size(const Json& json, const char* key, std::size_t most) {
    return static_cast<std::size_t>(integer_field(json, key, 0, static_cast<std::int64_t>(most)));
  }

  Numbers numbers(const std::string& name, std::size_t first, std::size_t count) const {
    const auto found = columns_.find(name);
    if (found == columns_.end())
      throw MalformedJson(
          fmt::format("'columns' has {}, which is not a column of numbers of the "
                      "figure's table",
                      in_quotes(name)));
    const auto begin = found->second->begin() + static_cast<std::ptrdiff_t>(first);
    return Numbers(begin, begin + static_cast<std::ptrdiff_t>(count));
  }

  std::map<std::string, const Numbers*> columns_{};
  std::size_t rows_{0}, left_{0};
};

Series series_from(const Json& json, CurveTable* table) {
  Series series{.name = text_field(json, "name"),
                .style = enum_field(json, "style", style_names),
                .color = int_field(json, "color", 0)};
  if (table && json.contains("columns")) {
    table->read(json, series);
  } else {
    series.x = numbers_field(json, "x");
    series.y = numbers_field(json, "y");
    series.band_low = numbers_field(json, "band_low");
    series.band_high = numbers_field(json, "band_high");
  }
  if (json.contains("shade")) series.shade = number_field(json, "shade");
  series.marked = json.contains("marked");
  series.label = text_if_any(json, "label");
  series.part_of = text_if_any(json, "part_of");
  series.ghost = text_if_any(json, "ghost");
  series.own_ghost = series.is_ghost();
  return series;
}

}  // namespace

Table table_of(const Figure& figure) {
  const std::string inconsistency = inconsistency_of(figure);
  check_invariant(inconsistency.empty(), inconsistency);
  return {.name = figure.id,
          .caption = figure.caption,
          .columns = std::visit(ColumnsOf{}, figure.content)};
}

void add_curves(Json& content, const Figure& figure, const LinePlot& plot,
                std::string_view csv_folder) {
  std::optional<Table> table;
  if (!csv_folder.empty()) table = table_of_long_curves(figure, plot);
  std::vector<CurveCells> cells;
  if (table) {
    content["table"] = table_json(*table, fmt::format("{}/{}.csv", csv_folder, figure.id));
    cells = curve_cells(plot);
  }
  Json& list = content["series"] = Json::array();
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    list.push_back(
        series_json(plot.series[i], table && is_long(plot.series[i]) ? &cells[i] : nullptr));
}

std::vector<Series> curves_from(const Json& content, const TableAt& table_at) {
  std::optional<Table> table;
  std::optional<CurveTable> curves;
  if (content.is_object() && content.contains("table")) {
    table = table_from_json(content["table"], table_at);
    if (!table) throw MalformedJson("'table' names a file that is not read");
    curves.emplace(*table);
  }
  return list_from(content, "series", [&](const Json& json) {
    return series_from(json, curves ? &*curves : nullptr);
  });
}

}  // namespace orrery
