#include "experiments/encoding_subset.h"

#include <algorithm>

#include "core/encodings/catalogue.h"
#include "experiments/rope_mixer.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool declared(const std::vector<ParamSpec>& specs, const std::string& key) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const ParamSpec& spec) { return spec.key == key; });
}

}  // namespace

std::vector<std::string> encodings_with(const std::vector<std::string>& doors) {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue())
    if (std::find_first_of(entry.doors.begin(), entry.doors.end(), doors.begin(), doors.end()) !=
        entry.doors.end())
      names.push_back(entry.info.name);
  return names;
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
    if (spec.key == mixer_key) continue;  // of scores, which nobody here has
    std::vector<std::string>& any_of = spec.used_when->any_of;
    const bool by_encoding = spec.used_when->key == "encoding";
    if (by_encoding)
      std::erase_if(any_of, [&](const auto& name) { return !contains(names, name); });
    // A parameter that depends on another one stands or falls with it, which comes first.
    if (by_encoding ? !any_of.empty() : declared(specs, spec.used_when->key))
      specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace orrery
