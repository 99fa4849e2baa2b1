#include "experiments/sweeps/point_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/results/check_json.h"

namespace orrery::sweeps {
namespace {

using Json = nlohmann::ordered_json;

/// The value as JSON has it for this kind of parameter. A number that JSON lacks stays a text.
Json typed(const std::string& text, ParamKind kind) {
  const bool has_type =
      kind == ParamKind::boolean || kind == ParamKind::integer || kind == ParamKind::real;
  Json value = has_type ? Json::parse(text, nullptr, false) : Json(text);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

Json param_json(const std::string& key, const std::string& text, std::span<const ParamSpec> specs) {
  const auto spec =
      std::ranges::find_if(specs, [&](const ParamSpec& one) { return one.key == key; });
  return spec == specs.end() ? Json(text) : typed(text, spec->kind);
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? number_text(value.get<double>()) : value.dump();
}

}  // namespace

Json to_json(const PointRecord& point, std::span<const ParamSpec> specs) {
  Json json{{"id", point.id},
            {"label", point.label},
            {"status", name_of(point.status)},
            {"repeat", point.repeat}};
  if (point.seed) json["seed"] = *point.seed;
  if (!point.error.empty()) json["error"] = point.error;
  Json params = Json::object();
  if (point.is_done())
    for (const auto& [key, value] : point.params) params[key] = param_json(key, value, specs);
  Json scalars = Json::object();
  for (const Scalar& scalar : point.scalars)
    scalars[scalar.name] = number_json(scalar.value, NanAs::null);
  Json checks = Json::object();
  for (const Check& check : point.checks)
    checks[check.name] = check_numbers_json(check, NanAs::null);
  json["params"] = std::move(params);
  json["scalars"] = std::move(scalars);
  json["checks"] = std::move(checks);
  return json;
}

void read_point(const Json& json, PointRecord& point) {
  point.status = enum_field(json, "status", point_status_names());
  if (json.contains("error")) point.error = text_field(json, "error");
  auto params = text_pairs_field(json, "params");
  if (!params.empty()) point.params = std::move(params);
  const Json& scalars = field(json, "scalars");
  for (const auto& item : scalars.items())
    point.scalars.push_back(
        {.name = item.key(), .value = number_field(scalars, item.key().c_str(), NanAs::null)});
  for (const auto& item : field(json, "checks").items()) {
    point.checks.push_back(check_numbers_from(item.value(), NanAs::null));
    point.checks.back().name = item.key();
  }
}

std::vector<std::pair<std::string, std::string>> text_pairs_field(const Json& object,
                                                                  const char* key) {
  const Json& json = field(object, key);
  if (!json.is_object()) throw MalformedJson(std::string("'") + key + "' is not an object");
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : json.items()) pairs.emplace_back(name, text_of(value));
  return pairs;
}

}  // namespace orrery::sweeps
