#include "experiments/results/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/results/figure_json.h"
#include "experiments/results/params_json.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/enum_names.h"
#include "experiments/text/model_names.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

Json typed(const std::string& text, ParamKind kind) {
  const bool has_type =
      kind == ParamKind::boolean || kind == ParamKind::integer || kind == ParamKind::real;
  Json value = has_type ? Json::parse(text, nullptr, false) : Json(text);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

using Json = nlohmann::ordered_json;

Json provenance_json(const Provenance& provenance) {
  return {{"experiment", provenance.experiment},
          {"version", provenance.version},
          {"params", params_json(provenance.params, specs_of(provenance.experiment))},
          {"seed", provenance.seed}};
}

Json scalar_json(const Scalar& scalar) {
  Json json{{"name", scalar.name},
            {"symbol", scalar.symbol},
            {"unit", scalar.unit},
            {"value", number_json(scalar.value)},
            {"description", scalar.description}};
  if (!scalar.pipeline.empty()) json["pipeline"] = scalar.pipeline;
  return json;
}

Json check_json(const Check& check) {
  Json json{{"name", check.name}, {"statement", check.statement}, {"equation", check.equation}};
  json.update(check_numbers_json(check));
  return json;
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
          .description = text_field(json, "description"),
          .pipeline = text_if_any(json, "pipeline")};
}

Check check_from(const Json& json) {
  Check check = check_numbers_from(json);
  check.name = text_field(json, "name");
  check.statement = text_field(json, "statement");
  check.equation = text_field(json, "equation");
  return check;
}

std::string table_name(const Json& table) { return name_field(table, "name"); }

std::string figure_id(const Json& summary) { return name_field(summary, "id"); }

/// An array of a result, unlike one of a figure, is in the file of its name.
Array named_array(const Json& json) {
  name_field(json, "name");
  return array_from_json(json);
}

/// All but tables, figures and arrays.
Result head_from(const Json& json) {
  if (text_field(json, "schema") != result_schema)
    throw MalformedJson("'schema' is not " + std::string(result_schema));
  return {.provenance = provenance_from(field(json, "provenance")),
          .status = enum_field(json, "status", status_names()),
          .scalars = list_from(json, "scalars", scalar_from),
          .checks = list_from(json, "checks", check_from)};
}

const EnumNames<ClaimKind> claim_kind_names{{ClaimKind::roformer, "roformer"},
                                            {ClaimKind::cited, "cited"},
                                            {ClaimKind::property, "property"},
                                            {ClaimKind::note, "note"}};

nlohmann::ordered_json claim_json(const Claim& claim) {
  const Check& c = claim.check;
  nlohmann::ordered_json json{{"name", c.name},
                              {"kind", name_in(claim_kind_names, claim.kind)},
                              {"source", claim.source.empty() ? "RoFormer" : claim.source},
                              {"equation", c.equation},
                              {"statement", c.statement},
                              {"precision", claim.precision},
                              {"over", claim.detail}};
  if (!claim.differs.empty()) json["roformer_differs"] = claim.differs;
  if (claim.counted())
    json.update(check_numbers_json(c));
  else
    json["measured"] = number_json(c.measured);
  return json;
}

}  // namespace

Json params_json(const Settings& params, std::span<const ParamSpec> specs) {
  Json json = Json::object();
  for (const auto& param : params) {
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const ParamSpec& one) { return one.key == param.first; });
    json[param.first] = spec == specs.end() ? Json(param.second) : typed(param.second, spec->kind);
  }
  return json;
}

Settings stated_settings(const ParamSet& params) {
  Settings stated;
  for (const ParamSpec& spec : params.specs())
    if (params.is_stated(spec.key)) stated.emplace_back(spec.key, params.to_text(spec.key));
  return stated;
}

std::span<const ParamSpec> specs_of(const std::string& experiment) {
  const Experiment* known = known_experiment(experiment);
  return known ? std::span<const ParamSpec>(known->info.params) : std::span<const ParamSpec>();
}

nlohmann::ordered_json check_numbers_json(const Check& check) {
  nlohmann::ordered_json json{{"measured", number_json(check.measured)},
                              {"relation", name_in(relation_names(), check.relation)},
                              {"bound", number_json(check.bound)}};
  if (check.relation == Relation::equals) json["tolerance"] = number_json(check.tolerance);
  json["holds"] = check.holds();
  return json;
}

Check check_numbers_from(const nlohmann::ordered_json& json) {
  return {.measured = number_field(json, "measured"),
          .relation = enum_field(json, "relation", relation_names()),
          .bound = number_field(json, "bound"),
          .tolerance = json.contains("tolerance") ? number_field(json, "tolerance") : 0.0};
}

nlohmann::ordered_json to_json(const Result& result, std::string_view csv_folder) {
  const auto table = [&](const Table& one) {
    return csv_folder.empty() || !is_in_csv_alone(one)
               ? table_json(one)
               : table_json(one, fmt::format("{}/{}.csv", csv_folder, one.name));
  };
  return {
      {"schema", result_schema},
      {"provenance", provenance_json(result.provenance)},
      {"status", name_in(status_names(), result.status)},
      {"scalars", json_list(result.scalars, scalar_json)},
      {"checks", json_list(result.checks, check_json)},
      {"tables", json_list(result.tables, table)},
      {"figures", json_list(result.figures, figure_summary)},
      {"arrays", json_list(result.arrays, [](const auto& array) { return array_json(*array); })}};
}

Result result_head(std::string_view text) {
  const Json head = head_in(text, "tables");
  return head_from(head);
}

Result result_from_json(const Json& json, const FigureNamed& figure, const ArrayNamed& array,
                        const TableAt& table_at) {
  Result result = head_from(json);
  require_distinct(list_field(json, "tables"), "tables", table_name);
  for (const Json& item : list_field(json, "tables"))
    if (auto table = table_from_json(item, table_at)) result.tables.push_back(std::move(*table));
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

nlohmann::ordered_json claims_json(const std::vector<Claim>& claims) {
  return json_list(claims, claim_json);
}

std::vector<Claim> matching_claims(std::vector<Claim> claims, const std::string& part) {
  std::erase_if(claims, [&](const Claim& claim) {
    const Check& c = claim.check;
    return fmt::format("{} {} {} {} {}", c.name, c.statement, c.equation, claim.source,
                       name_in(claim_kind_names, claim.kind))
               .find(part) == std::string::npos;
  });
  if (!claims.empty()) return claims;
  throw UsageError(part, "matches no claim",
                   "give part of a name, a statement or an equation, such as (16)");
}

}  // namespace orrery
