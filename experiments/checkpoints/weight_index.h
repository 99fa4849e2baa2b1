#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace orrery {

/// Which shard of a checkpoint holds a tensor, by the tensor's name.
using WeightIndex = std::map<std::string, std::string, std::less<>>;

/// Largest index that is read; one of a thousand billion parameters has some 10 MB.
inline constexpr std::uintmax_t max_index_bytes = std::uintmax_t{64} << 20;

/// Reads model.safetensors.index.json.
///   {"metadata": {"total_size": 24, …}, "weight_map": {"TENSOR": "model-00001-of-00002.safetensors", …}}
///
/// Only weight_map counts: what else is there is checked to be JSON and dropped.
/// Throws DataError, naming the tensor: not JSON, no weight_map, a tensor that occurs twice, a shard
/// that is no text, lies outside of the index's folder, or is no .safetensors file; more than 4096
/// shards.
/// Cost: time and memory proportional to the text.
/// @param name  the file's name in messages
WeightIndex parse_weight_index(std::string_view text, std::string_view name);

}  // namespace orrery
