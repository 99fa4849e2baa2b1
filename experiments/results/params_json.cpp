#include "experiments/results/params_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

Json typed(const std::string& text, ParamKind kind) {
  const bool has_type =
      kind == ParamKind::boolean || kind == ParamKind::integer || kind == ParamKind::real;
  Json value = has_type ? Json::parse(text, nullptr, false) : Json(text);
  return value.is_number() || value.is_boolean() ? value : Json(text);
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

}  // namespace orrery
