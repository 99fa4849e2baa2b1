#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/unknown_name.h"
#include "experiments/c/guarded.h"
#include "experiments/c/handles.h"
#include "experiments/c/orrery.h"
#include "experiments/setup/plugins.h"
#include "experiments/sweeps/catalogue_json.h"

namespace orrery {
namespace {

void give_list(const char* what, orrery_result** result) {
  const std::string part = what == nullptr ? "all" : what;
  const std::vector<std::string> parts{"all", "experiments", "encodings", "presets"};
  if (std::find(parts.begin(), parts.end(), part) == parts.end())
    throw_unknown_name(part, "a list", parts);
  const auto wanted = [&](const char* name) { return part == "all" || part == name; };
  give(result, list_json(wanted("experiments"), wanted("encodings"), wanted("presets")));
}

}  // namespace
}  // namespace orrery

extern "C" {

orrery_status orrery_list(const char* what, orrery_result** result) {
  return orrery::guarded([&] { orrery::give_list(what, result); });
}

orrery_status orrery_describe(const char* name, orrery_result** result) {
  return orrery::guarded([&] {
    orrery::require(name, "the name");
    orrery::give(result, orrery::description_json(name));
  });
}

orrery_status orrery_load_plugin(const char* file) {
  return orrery::guarded([&] {
    orrery::require(file, "the file");
    orrery::load_plugin(file);
  });
}

}  // extern "C"
