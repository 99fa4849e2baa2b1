#include "experiments/results/table_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/results/json_fields.h"
#include "experiments/text/enum_names.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

std::size_t row_count(const Table& table) {
  if (table.columns.empty()) return 0;
  return std::visit([](const auto& values) { return values.size(); }, table.columns.front().values);
}

bool is_utf8_column(const Column& column) {
  const auto* words = std::get_if<Words>(&column.values);
  return is_utf8(column.name) && (!words || std::all_of(words->begin(), words->end(), is_utf8));
}

/// The type is stated, as "nan" may be a number or a text.
Json description_of(const Column& column) {
  return {{"name", column.name},
          {"unit", column.unit},
          {"type", std::holds_alternative<Numbers>(column.values) ? "number" : "text"}};
}

Json column_json(const Column& column) {
  Json json = description_of(column);
  const auto* numbers = std::get_if<Numbers>(&column.values);
  json["values"] = numbers ? numbers_json(*numbers) : Json(std::get<Words>(column.values));
  return json;
}

Column described_column(const Json& json) {
  static const EnumNames<bool> number_names{{true, "number"}, {false, "text"}};
  Column column{.name = text_field(json, "name"), .unit = text_field(json, "unit")};
  if (!enum_field(json, "type", number_names)) column.values = Words{};
  return column;
}

Column column_from(const Json& json) {
  Column column = described_column(json);
  if (std::holds_alternative<Numbers>(column.values))
    column.values = numbers_field(json, "values");
  else
    column.values = texts_field(json, "values");
  return column;
}

}  // namespace

bool is_in_csv_alone(const Table& table) {
  return row_count(table) > most_rows_in_json &&
         std::all_of(table.columns.begin(), table.columns.end(), is_utf8_column);
}

Json table_json(const Table& table) {
  return {{"name", table.name},
          {"caption", table.caption},
          {"columns", json_list(table.columns, column_json)}};
}

Json table_json(const Table& table, const std::string& file) {
  return {{"name", table.name},
          {"caption", table.caption},
          {"file", file},
          {"rows", row_count(table)},
          {"columns", json_list(table.columns, description_of)}};
}

std::optional<Table> table_from_json(const Json& json, const TableAt& table_at) {
  Table table{.name = name_field(json, "name"), .caption = text_field(json, "caption")};
  if (json.contains("file")) {
    const std::int64_t rows =
        integer_field(json, "rows", 0, std::numeric_limits<std::int64_t>::max());
    table.columns = list_from(json, "columns", described_column);
    return table_at(std::move(table), text_field(json, "file"), static_cast<std::size_t>(rows));
  }
  table.columns = list_from(json, "columns", column_from);
  if (const std::string found = inconsistency_of(table); !found.empty())
    throw MalformedJson(fmt::format("the table {}: {}", table.name, found));
  return table;
}

}  // namespace orrery
