#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What a safetensors header says of a tensor, as written.
struct SafetensorsInfo {
  std::string dtype{};
  std::vector<std::uint64_t> shape{};
  std::uint64_t begin{};  ///< data_offsets: bytes into the data
  std::uint64_t end{};
};

using SafetensorsInfos = std::map<std::string, SafetensorsInfo, std::less<>>;

/// Reads {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …} with an optional
/// "__metadata__" of strings, which is checked and dropped. Nothing of the format's meaning is
/// checked. Time and memory are in proportion to the text.
/// @param name  what messages call the file
/// Throws DataError: not JSON, a key that occurs twice, is missing or unknown, a value of another
/// type, numbers that are negative, fractional or beyond 64 bits, more than 64 dimensions.
SafetensorsInfos parse_safetensors_json(std::string_view text, std::string_view name);

/// The key that names no tensor.
inline constexpr std::string_view safetensors_metadata = "__metadata__";

}  // namespace orrery
