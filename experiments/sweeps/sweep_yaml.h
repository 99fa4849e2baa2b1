#pragma once

#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::sweeps {

/// A sweep file in YAML, or in JSON, which YAML 1.2 contains, as the TOML that says the same, its
/// keys in the written order. Throws DataError naming `display_name`, line and column: not YAML, a
/// key twice, a value that is none, more than a MiB once its aliases are written out.
std::string toml_of_yaml(std::string_view yaml, const std::string& display_name);

}  // namespace orrery::sweeps
