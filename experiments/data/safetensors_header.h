#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/array_codec.h"

namespace orrery {

/// The place and type of a tensor in a safetensors file.
struct SafetensorsEntry {
  NumberType type{};
  std::vector<std::uint64_t> shape{};
  std::string_view data{};  ///< the product of the shape × type.bytes bytes; a view into the file
};

using SafetensorsEntries = std::map<std::string, SafetensorsEntry, std::less<>>;

/// Reads the header of a safetensors file; together the entries cover its data exactly once.
/// Throws DataError for all errors of parse_safetensors but those in the values and in the limits
/// of a Tensor (empty, rank 0 or above 4, more than max_elements).
SafetensorsEntries parse_safetensors_header(std::string_view bytes, std::string_view name);

/// The entry of a tensor in a safetensors header, as written.
struct SafetensorsInfo {
  std::string dtype{};
  std::vector<std::uint64_t> shape{};
  std::uint64_t begin{};  ///< data_offsets: bytes into the data
  std::uint64_t end{};
};

using SafetensorsInfos = std::map<std::string, SafetensorsInfo, std::less<>>;

/// Reads {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …} with an optional
/// "__metadata__" of strings, which is checked and dropped. The meaning of the
/// values is not checked. Time and memory are proportional to the text.
/// @param name  the file's name in messages
/// Throws DataError: not JSON, a key that occurs twice, is missing or unknown, a value of another
/// type, numbers that are negative, fractional or beyond 64 bits, more than 64 dimensions.
SafetensorsInfos parse_safetensors_json(std::string_view text, std::string_view name);

/// The one key that is not a tensor's name.
inline constexpr std::string_view safetensors_metadata = "__metadata__";

}  // namespace orrery
