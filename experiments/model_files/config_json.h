#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

namespace orrery {

using Json = nlohmann::ordered_json;

/// Largest configuration that is read.
inline constexpr std::uintmax_t max_config_bytes = std::uintmax_t{8} << 20;

/// A configuration as Python's json module reads it: Infinity and NaN outside of texts become null,
/// the last of equal keys counts. Throws DataError: not JSON, no object, nested deeper than
/// most_levels; models need 5.
Json parse_config(std::string_view text, std::string_view name);

}  // namespace orrery
