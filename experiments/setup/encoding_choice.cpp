#include "experiments/setup/encoding_choice.h"

#include <algorithm>

#include "core/encodings/catalogue.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/frequency_bands.h"

namespace orrery {
namespace {

bool declared(const std::vector<ParamSpec>& specs, const std::string& key) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const ParamSpec& spec) { return spec.key == key; });
}

}  // namespace

std::vector<std::string> encodings_with(const std::vector<Door>& doors) {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue())
    if (std::any_of(doors.begin(), doors.end(), [&](Door door) { return entry.uses(door); }))
      names.push_back(entry.info.name);
  return names;
}

bool heads_are_alike(const ParamSet& params) {
  const std::vector<std::string>& names = params.list("encoding");
  return std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return find_encoding(name).info.same_heads; });
}

ParamSpec encodings_param_among(const std::vector<std::string>& names,
                                std::vector<std::string> default_names) {
  ParamSpec spec = encodings_param(std::move(default_names));
  std::erase_if(spec.choices, [&](const Choice& c) { return !contains(names, c.name); });
  return spec;
}

std::vector<ParamSpec> with_params_of(const std::vector<std::string>& names,
                                      std::vector<ParamSpec> specs) {
  for (ParamSpec& spec : encoding_params("encoding")) {
    if (spec.key == mixer_key)
      continue;  // it mutes parts of a score, and these experiments have none
    std::vector<std::string>& any_of = spec.used_when->any_of;
    const bool by_encoding = spec.used_when->key == "encoding";
    if (by_encoding)
      std::erase_if(any_of, [&](const auto& name) { return !contains(names, name); });
    // A parameter is kept only with the one that it depends on, which comes before it.
    if (by_encoding ? !any_of.empty() : declared(specs, spec.used_when->key))
      specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace orrery
