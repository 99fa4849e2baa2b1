#include "experiments/results/result_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "experiments/model/consistency.h"
#include "experiments/results/check_json.h"
#include "experiments/results/figure_json.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/params_json.h"
#include "experiments/text/model_names.h"

namespace orrery::results {
namespace {

using Json = nlohmann::ordered_json;

template <class T, class Convert>
Json list_of(const std::vector<T>& items, Convert convert) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(convert(item));
  return list;
}

Json provenance_json(const Provenance& provenance) {
  return {{"experiment", provenance.experiment},
          {"version", provenance.version},
          {"params", params_json(provenance.params, specs_of(provenance.experiment))},
          {"seed", provenance.seed}};
}

Json scalar_json(const Scalar& scalar) {
  return {{"name", scalar.name},
          {"symbol", scalar.symbol},
          {"unit", scalar.unit},
          {"value", number_json(scalar.value)},
          {"description", scalar.description}};
}

Json check_json(const Check& check) {
  Json json{{"name", check.name}, {"statement", check.statement}, {"equation", check.equation}};
  json.update(check_numbers_json(check));
  return json;
}

/// The type is stated, as "nan" may be a number or a text.
Json column_json(const Column& column) {
  const auto* numbers = std::get_if<std::vector<double>>(&column.values);
  return {{"name", column.name},
          {"unit", column.unit},
          {"type", numbers ? "number" : "text"},
          {"values", numbers ? numbers_json(*numbers)
                             : Json(std::get<std::vector<std::string>>(column.values))}};
}

Json table_json(const Table& table) {
  return {{"name", table.name},
          {"caption", table.caption},
          {"columns", list_of(table.columns, column_json)}};
}

Json figure_summary(const Figure& figure) {
  return {{"id", figure.id},
          {"kind", kind_of(figure)},
          {"title", figure.title},
          {"caption", figure.caption}};
}

Provenance provenance_from(const Json& json) {
  return {.experiment = text_field(json, "experiment"),
          .version = int_field(json, "version", 0),
          .params = settings_field(json, "params"),
          .seed = integer_field(json, "seed")};
}

Scalar scalar_from(const Json& json) {
  return {.name = text_field(json, "name"),
          .symbol = text_field(json, "symbol"),
          .unit = text_field(json, "unit"),
          .value = number_field(json, "value"),
          .description = text_field(json, "description")};
}

Check check_from(const Json& json) {
  Check check = check_numbers_from(json);
  check.name = text_field(json, "name");
  check.statement = text_field(json, "statement");
  check.equation = text_field(json, "equation");
  return check;
}

Column column_from(const Json& json) {
  static const EnumNames<bool> number_names{{true, "number"}, {false, "text"}};
  Column column{.name = text_field(json, "name"), .unit = text_field(json, "unit")};
  if (enum_field(json, "type", number_names))
    column.values = numbers_field(json, "values");
  else
    column.values = texts_field(json, "values");
  return column;
}

Table table_from(const Json& json) {
  Table table{.name = name_field(json, "name"),
              .caption = text_field(json, "caption"),
              .columns = list_from(json, "columns", column_from)};
  if (const std::string found = inconsistency_of(table); !found.empty())
    throw MalformedJson(fmt::format("the table {}: {}", table.name, found));
  return table;
}

std::string figure_id(const Json& summary) { return name_field(summary, "id"); }

/// An array of a result, unlike one of a figure, is in the file of its name.
Array named_array(const Json& json) {
  name_field(json, "name");
  return array_from_json(json);
}

}  // namespace

nlohmann::ordered_json to_json(const Result& result) {
  return {{"schema", result_schema},
          {"provenance", provenance_json(result.provenance)},
          {"status", name_in(status_names(), result.status)},
          {"scalars", list_of(result.scalars, scalar_json)},
          {"checks", list_of(result.checks, check_json)},
          {"tables", list_of(result.tables, table_json)},
          {"figures", list_of(result.figures, figure_summary)},
          {"arrays", list_of(result.arrays, [](const auto& array) { return array_json(*array); })}};
}

Result result_from_json(const Json& json, const FigureNamed& figure, const ArrayNamed& array) {
  if (text_field(json, "schema") != result_schema)
    throw MalformedJson("'schema' is not " + std::string(result_schema));
  Result result{.provenance = provenance_from(field(json, "provenance")),
                .status = enum_field(json, "status", status_names()),
                .scalars = list_from(json, "scalars", scalar_from),
                .checks = list_from(json, "checks", check_from),
                .tables = list_from(json, "tables", table_from)};
  require_distinct(result.tables, "tables", [](const Table& table) { return table.name; });
  std::vector<Array> arrays = list_from(json, "arrays", named_array);
  require_distinct(arrays, "arrays", [](const Array& described) { return described.name; });
  for (Array& described : arrays)
    if (auto found = array(std::move(described))) result.arrays.push_back(std::move(found));
  const std::vector<std::string> figures = list_from(json, "figures", figure_id);
  require_distinct(figures, "figures", [](const std::string& id) { return id; });
  for (const std::string& id : figures)
    if (auto found = figure(id)) result.figures.push_back(std::move(*found));
  return result;
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace orrery::results
