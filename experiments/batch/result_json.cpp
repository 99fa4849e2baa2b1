#include "experiments/batch/result_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json one(double value) { return number(value); }
Json one(const std::string& value) { return value; }

template <class T, class Convert>
Json list_of(const std::vector<T>& items, Convert convert) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(convert(item));
  return list;
}

Json params_json(const std::vector<std::pair<std::string, std::string>>& params) {
  Json json = Json::object();
  for (const auto& [key, value] : params) json[key] = value;
  return json;
}

Json provenance_json(const Provenance& provenance) {
  return {{"experiment", provenance.experiment},
          {"version", provenance.version},
          {"params", params_json(provenance.params)},
          {"seed", provenance.seed}};
}

Json scalar_json(const Scalar& scalar) {
  return {{"name", scalar.name},
          {"symbol", scalar.symbol},
          {"unit", scalar.unit},
          {"value", number(scalar.value)},
          {"description", scalar.description}};
}

Json check_json(const Check& check) {
  return {{"name", check.name},
          {"statement", check.statement},
          {"equation", check.equation},
          {"measured", number(check.measured)},
          {"relation", check.relation == Relation::at_most ? "at_most" : "at_least"},
          {"bound", number(check.bound)},
          {"holds", check.holds()}};
}

Json column_json(const Column& column) {
  const auto values = [](const auto& items) {
    return list_of(items, [](const auto& item) { return one(item); });
  };
  return {
      {"name", column.name}, {"unit", column.unit}, {"values", std::visit(values, column.values)}};
}

Json table_json(const Table& table) {
  return {{"name", table.name},
          {"caption", table.caption},
          {"columns", list_of(table.columns, column_json)}};
}

struct KindOfFigure {
  std::string_view operator()(const LinePlot&) const { return "lines"; }
  std::string_view operator()(const Heatmap&) const { return "heatmap"; }
  std::string_view operator()(const TableFigure&) const { return "table"; }
  std::string_view operator()(const VectorPlot&) const { return "vectors"; }
};

Json figure_json(const Figure& figure) {
  return {{"id", figure.id},
          {"kind", std::visit(KindOfFigure{}, figure.content)},
          {"title", figure.title},
          {"caption", figure.caption}};
}

Json array_json(const std::shared_ptr<const Array>& array) {
  const bool single = std::holds_alternative<std::vector<float>>(array->values);
  return {{"name", array->name},
          {"description", array->description},
          {"dtype", single ? "float32" : "float64"},
          {"shape", array->shape},
          {"axes", array->axes}};
}

}  // namespace

nlohmann::ordered_json to_json(const Result& result) {
  return {{"schema", "orrery.result/1"},
          {"provenance", provenance_json(result.provenance)},
          {"status", result.status == Status::completed ? "completed" : "stopped"},
          {"scalars", list_of(result.scalars, scalar_json)},
          {"checks", list_of(result.checks, check_json)},
          {"tables", list_of(result.tables, table_json)},
          {"figures", list_of(result.figures, figure_json)},
          {"arrays", list_of(result.arrays, array_json)}};
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace orrery
