#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/params.h"
#include "experiments/model/shared_text.h"

namespace orrery {

/// Settings as a JSON object: numbers and truth values as such where the specs say so, everything
/// else as text, also a number that JSON lacks. settings_field reads them.
nlohmann::ordered_json params_json(const Settings& params, std::span<const ParamSpec> specs);

/// Every stated parameter with its value.
Settings stated_settings(const ParamSet& params);

/// The parameters of an experiment by its name; none where this program has no such one.
std::span<const ParamSpec> specs_of(const std::string& experiment);

}  // namespace orrery
