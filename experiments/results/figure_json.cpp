#include "experiments/results/figure_json.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/errors.h"
#include "experiments/model/result.h"
#include "experiments/results/curves_json.h"
#include "experiments/results/figure_table.h"
#include "experiments/results/json_fields.h"
#include "experiments/text/model_names.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

const EnumNames<AxisRole> axis_role_names{{AxisRole::none, "none"},
                                          {AxisRole::position, "position"},
                                          {AxisRole::query_position, "query_position"},
                                          {AxisRole::key_position, "key_position"},
                                          {AxisRole::relative_distance, "relative_distance"},
                                          {AxisRole::channel, "channel"},
                                          {AxisRole::pair, "pair"}};
const EnumNames<Meaning> meaning_names{{Meaning::sequential, "sequential"},
                                       {Meaning::diverging, "diverging"},
                                       {Meaning::cyclic, "cyclic"}};
const EnumNames<ColorScaling> scaling_names{{ColorScaling::linear, "linear"},
                                            {ColorScaling::log, "log"},
                                            {ColorScaling::quantile, "quantile"}};
const EnumNames<Rule::Direction> direction_names{{Rule::Direction::horizontal, "horizontal"},
                                                 {Rule::Direction::vertical, "vertical"}};

// ---- Parts
// ---------------------------------------------------------------------------------------

Json range_json(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return numbers_json({range->min, range->max});
}

std::optional<Range> range_from(const Json& object, const char* key = "range") {
  if (field(object, key).is_null()) return std::nullopt;
  const std::vector<double> ends = numbers_field(object, key);
  if (ends.size() != 2) throw MalformedJson(fmt::format("'{}' is not two numbers", key));
  return Range{ends[0], ends[1]};
}

Json axis_json(const Axis& axis) {
  Json json{{"label", axis.label},
            {"symbol", axis.symbol},
            {"unit", axis.unit},
            {"scale", name_in(axis_scale_names(), axis.scale)},
            {"symlog_threshold", number_json(axis.symlog_threshold)},
            {"range", range_json(axis.range)},
            {"role", name_in(axis_role_names, axis.role)}};
  if (axis.whole) json["whole"] = range_json(axis.whole);
  return json;
}

/// Figures were saved without roles before: their axes have none, so the desktop links no distance
/// between them.
AxisRole axis_role_from(const Json& object, const char* key = "role") {
  return object.contains(key) ? enum_field(object, key, axis_role_names) : AxisRole::none;
}

Axis axis_from(const Json& object, const char* key) {
  const Json& json = field(object, key);
  return {.label = text_field(json, "label"),
          .symbol = text_field(json, "symbol"),
          .unit = text_field(json, "unit"),
          .scale = enum_field(json, "scale", axis_scale_names()),
          .symlog_threshold = number_field(json, "symlog_threshold"),
          .range = range_from(json),
          .role = axis_role_from(json),
          .whole = json.contains("whole") ? range_from(json, "whole") : std::nullopt};
}

Json rule_json(const Rule& rule) {
  Json json{{"direction", name_in(direction_names, rule.direction)},
            {"at", number_json(rule.at)},
            {"label", rule.label}};
  if (!rule.param.empty()) json["param"] = rule.param;
  return json;
}

Rule rule_from(const Json& json) {
  return {.direction = enum_field(json, "direction", direction_names),
          .at = number_field(json, "at"),
          .label = text_field(json, "label"),
          .param = text_if_any(json, "param")};
}

Json line_json(const MapLine& line) {
  return {{"label", line.label}, {"x", numbers_json(line.x)}, {"y", numbers_json(line.y)}};
}

MapLine line_from(const Json& json) {
  return {.label = text_field(json, "label"),
          .x = numbers_field(json, "x"),
          .y = numbers_field(json, "y")};
}

Json arrow_json(const Arrow& arrow) {
  return numbers_json({arrow.x0, arrow.y0, arrow.x1, arrow.y1, arrow.value});
}

Arrow arrow_from(const std::vector<double>& numbers) {
  if (numbers.size() != 5) throw MalformedJson("an arrow is not x0, y0, x1, y1 and value");
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

Json reference_json(const std::shared_ptr<const Array>& array, std::string_view role,
                    const ArrayPlace& place) {
  if (!array) return nullptr;
  Json json = array_json(*array);
  json["file"] = place(array, role);
  return json;
}

std::shared_ptr<const Array> referred(const Json& object, const char* key, const ArrayAt& at) {
  const Json& json = field(object, key);
  if (json.is_null()) return nullptr;
  return at(array_from_json(json), text_field(json, "file"));
}

Json role_json(const FigureRole& role) {
  return {{"kind", role.kind}, {"encodings", role.encodings}, {"term", role.term}};
}

/// Results were saved without roles before: each of their figures is one of a kind and of all the
/// encodings, so the desktop neither groups them nor reads the terms of a cell, and shows the
/// formulas of all the encodings.
FigureRole role_from(const Json& object) {
  if (!object.contains("role")) return {};
  const Json& json = object["role"];
  return {.kind = text_field(json, "kind"),
          .encodings = texts_field(json, "encodings"),
          .term = text_field(json, "term")};
}

// ---- Kinds
// ---------------------------------------------------------------------------------------

/// @param number  of the map among several of its figure: "_2"
Json heatmap_json(const Heatmap& map, const ArrayPlace& place, const std::string& number = {}) {
  Json json{{"values", reference_json(map.values, "values" + number, place)},
            {"masked", reference_json(map.masked, "masked" + number, place)},
            {"x", axis_json(map.x)},
            {"y", axis_json(map.y)},
            {"quantity", map.quantity},
            {"symbol", map.symbol},
            {"meaning", name_in(meaning_names, map.meaning)},
            {"colors", name_in(scaling_names, map.colors)},
            {"range", range_json(map.range)},
            {"column_labels", map.column_labels},
            {"row_labels", map.row_labels}};
  // Results of earlier versions have none of these.
  if (!map.classes.empty()) json["classes"] = map.classes;
  if (!map.lines.empty()) json["lines"] = json_list(map.lines, line_json);
  if (!map.rules.empty()) json["rules"] = json_list(map.rules, rule_json);
  return json;
}

Json map_term_json(const MapTerm& term, Json map) {
  return {{"relation", term.relation},
          {"step", term.step},
          {"symbol", term.symbol},
          {"name", term.name},
          {"map", std::move(map)},
          {"factor", number_json(term.factor)},
          {"spread", number_json(term.spread)},
          {"rounding", number_json(term.rounding)}};
}

struct ContentJson {
  const Figure& figure;
  const ArrayPlace& place;
  std::string_view csv_folder;

  Json operator()(const LinePlot& plot) const {
    Json json{{"x", axis_json(plot.x)}, {"y", axis_json(plot.y)}};
    add_curves(json, figure, plot, csv_folder);
    json["rules"] = json_list(plot.rules, rule_json);
    return json;
  }
  Json operator()(const Heatmap& map) const { return heatmap_json(map, place); }
  Json operator()(const TableFigure& table) const {
    return {{"header", table.header}, {"rows", table.rows}};
  }
  Json operator()(const VectorPlot& plot) const {
    return {{"x", axis_json(plot.x)},
            {"y", axis_json(plot.y)},
            {"arrows", json_list(plot.arrows, arrow_json)},
            {"tips", plot.tips},
            {"quantity", plot.quantity},
            {"value_role", name_in(axis_role_names, plot.value_role)},
            {"sum", plot.sum ? arrow_json(*plot.sum) : Json(nullptr)}};
  }
  Json operator()(const MapEquation& equation) const {
    Json terms = Json::array();
    for (const MapTerm& term : equation.terms)
      terms.push_back(
          map_term_json(term, heatmap_json(term.map, place, fmt::format("_{}", terms.size() + 1))));
    return {{"terms", std::move(terms)}, {"profiles", (*this)(equation.profiles)}};
  }
};

template <class Convert>
auto optional_list(const Json& json, const char* key, Convert convert) {
  using List = decltype(list_from(json, key, convert));
  return json.contains(key) ? list_from(json, key, convert) : List{};
}

LinePlot lines_from(const Json& json, const TableAt& at) {
  return {.x = axis_from(json, "x"),
          .y = axis_from(json, "y"),
          .series = curves_from(json, at),
          .rules = list_from(json, "rules", rule_from)};
}

Heatmap heatmap_from(const Json& json, const ArrayAt& at) {
  return {.values = referred(json, "values", at),
          .masked = referred(json, "masked", at),
          .x = axis_from(json, "x"),
          .y = axis_from(json, "y"),
          .quantity = text_field(json, "quantity"),
          .symbol = text_field(json, "symbol"),
          .meaning = enum_field(json, "meaning", meaning_names),
          .colors = json.contains("colors") ? enum_field(json, "colors", scaling_names)
                                            : ColorScaling::linear,
          .range = range_from(json),
          .column_labels = texts_field(json, "column_labels"),
          .row_labels = texts_field(json, "row_labels"),
          .classes =
              json.contains("classes") ? texts_field(json, "classes") : std::vector<std::string>{},
          .lines = optional_list(json, "lines", line_from),
          .rules = optional_list(json, "rules", rule_from)};
}

MapTerm map_term_from(const Json& json, const ArrayAt& at) {
  return {.relation = text_field(json, "relation"),
          .step = text_field(json, "step"),
          .symbol = text_field(json, "symbol"),
          .name = text_field(json, "name"),
          .map = heatmap_from(field(json, "map"), at),
          .factor = number_field(json, "factor"),
          .spread = number_field(json, "spread"),
          .rounding = number_field(json, "rounding")};
}

MapEquation equation_from(const Json& json, const ArrayAt& array_at, const TableAt& table_at) {
  const auto term = [&](const Json& item) { return map_term_from(item, array_at); };
  return {.terms = list_from(json, "terms", term),
          .profiles = lines_from(field(json, "profiles"), table_at)};
}

TableFigure table_from(const Json& json) {
  const auto row = [](const Json& cells) { return texts_field({{"row", cells}}, "row"); };
  return {.header = texts_field(json, "header"), .rows = list_from(json, "rows", row)};
}

VectorPlot vectors_from(const Json& json) {
  const auto arrow = [](const Json& item) {
    return arrow_from(numbers_field({{"arrow", item}}, "arrow"));
  };
  VectorPlot plot{
      .x = axis_from(json, "x"),
      .y = axis_from(json, "y"),
      .arrows = list_from(json, "arrows", arrow),
      .tips = json.contains("tips") ? texts_field(json, "tips") : std::vector<std::string>{},
      .quantity = text_field(json, "quantity"),
      .value_role = axis_role_from(json, "value_role")};
  if (!field(json, "sum").is_null()) plot.sum = arrow_from(numbers_field(json, "sum"));
  return plot;
}

using Content = decltype(Figure::content);

Content content_from(const std::string& kind, const Json& json, const ArrayAt& array_at,
                     const TableAt& table_at) {
  if (kind == "lines") return lines_from(json, table_at);
  if (kind == "heatmap") return heatmap_from(json, array_at);
  if (kind == "table") return table_from(json);
  if (kind == "vectors") return vectors_from(json);
  if (kind == "map_equation") return equation_from(json, array_at, table_at);
  throw MalformedJson("'kind' is '" + kind + "', which is not known here");
}

/// In the order of Figure::content.
constexpr std::array<std::string_view, 5> kinds{"lines", "heatmap", "table", "vectors",
                                                "map_equation"};
static_assert(kinds.size() == std::variant_size_v<Content>);

}  // namespace

std::string_view kind_of(const Figure& figure) { return kinds.at(figure.content.index()); }

Json figure_json(const Figure& figure, const ArrayPlace& place, std::string_view csv_folder) {
  const std::string inconsistency = inconsistency_of(figure);
  check_invariant(inconsistency.empty(), inconsistency);
  return {{"schema", figure_schema},
          {"id", figure.id},
          {"kind", kind_of(figure)},
          {"title", figure.title},
          {"caption", figure.caption},
          {"role", role_json(figure.role)},
          {"content", std::visit(ContentJson{figure, place, csv_folder}, figure.content)}};
}

Figure figure_from_json(const Json& json, const ArrayAt& array_at, const TableAt& table_at) {
  if (text_field(json, "schema") != figure_schema)
    throw MalformedJson("'schema' is not " + std::string(figure_schema));
  Figure figure{
      .id = name_field(json, "id"),
      .title = text_field(json, "title"),
      .caption = text_field(json, "caption"),
      .content = content_from(text_field(json, "kind"), field(json, "content"), array_at, table_at),
      .role = role_from(json)};
  if (const std::string found = inconsistency_of(figure); !found.empty())
    throw MalformedJson(found);
  return figure;
}

Json array_json(const Array& array) {
  const bool single = std::holds_alternative<std::vector<float>>(array.values);
  return {{"name", array.name},
          {"description", array.description},
          {"dtype", single ? "float32" : "float64"},
          {"shape", array.shape},
          {"axes", array.axes},
          {"role", role_json(array.role)}};
}

Array array_from_json(const Json& json) {
  static const EnumNames<bool> single_names{{true, "float32"}, {false, "float64"}};
  Array array{.name = text_field(json, "name"),
              .description = text_field(json, "description"),
              .shape = sizes_field(json, "shape"),
              .axes = texts_field(json, "axes"),
              .role = role_from(json)};
  if (enum_field(json, "dtype", single_names)) array.values = std::vector<float>{};
  return array;
}

}  // namespace orrery
