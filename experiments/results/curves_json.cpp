#include "experiments/results/curves_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "experiments/results/figure_table.h"
#include "experiments/results/json_fields.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;
using Numbers = std::vector<double>;

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
  if (json.contains("label")) series.label = text_field(json, "label");
  if (json.contains("part_of")) series.part_of = text_field(json, "part_of");
  return series;
}

}  // namespace

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
