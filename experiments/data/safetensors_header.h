#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/array_data.h"

namespace orrery {

/// Where a tensor lies in a safetensors file, and what as.
struct SafetensorsEntry {
  NumberType type{};
  std::vector<std::uint64_t> shape{};
  std::string_view data{};  ///< the product of the shape × type.bytes bytes; a view into the file
};

using SafetensorsEntries = std::map<std::string, SafetensorsEntry, std::less<>>;

/// Reads the list of a safetensors file; together the entries cover its data exactly once.
/// Throws DataError as parse_safetensors does for all but the values and what a Tensor cannot be
/// (empty, rank 0 or above 4, more than max_elements).
SafetensorsEntries parse_safetensors_header(std::string_view bytes, std::string_view name);

}  // namespace orrery
