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

}  // namespace orrery
