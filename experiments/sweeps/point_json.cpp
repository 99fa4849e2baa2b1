#include "experiments/sweeps/point_json.h"

#include <nlohmann/json.hpp>

#include "experiments/results/check_json.h"
#include "experiments/results/params_json.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json to_json(const PointRecord& point, std::span<const ParamSpec> specs) {
  Json json{{"id", point.id},
            {"label", point.label},
            {"status", name_of(point.status)},
            {"repeat", point.repeat}};
  if (point.seed) json["seed"] = *point.seed;
  if (!point.error.empty()) json["error"] = point.error;
  json["params"] = point.is_done() ? params_json(point.params, specs) : Json::object();
  json["scalars"] = Json::object();
  json["checks"] = Json::object();
  for (const Scalar& scalar : point.scalars)
    json["scalars"][scalar.name] = number_json(scalar.value);
  for (const Check& check : point.checks) json["checks"][check.name] = check_numbers_json(check);
  return json;
}

void read_point(const Json& json, PointRecord& point) {
  point.status = enum_field(json, "status", point_status_names());
  if (json.contains("error")) point.error = text_field(json, "error");
  auto params = settings_field(json, "params");
  if (!params.empty()) point.params = std::move(params);
  const Json& scalars = field(json, "scalars");
  for (const auto& item : scalars.items())
    point.scalars.push_back(
        {.name = item.key(), .value = number_field(scalars, item.key().c_str())});
  for (const auto& item : field(json, "checks").items()) {
    point.checks.push_back(check_numbers_from(item.value()));
    point.checks.back().name = item.key();
  }
}

}  // namespace orrery
