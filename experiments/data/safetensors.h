#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/tensor_map.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Opens a .safetensors file in memory, whose bytes must outlive the archive. Throws DataError for all
/// errors of parse_safetensors but those of a single tensor.
std::unique_ptr<TensorArchive> open_safetensors(std::string_view bytes, std::string name);

/// Reads the safetensors format as doubles: F64 F32 F16 BF16, I64 … I8, U64 … U8, and BOOL as 0
/// and 1. The metadata is checked and dropped. Time and memory are proportional to the size of
/// `bytes`, whatever the header claims.
///
/// @param name  the file's name in messages; its tensors are "name#tensor"
/// Throws DataError: a header that is truncated, longer than 100 MB, not JSON, or in which a key
/// occurs twice, is missing or unknown; any other dtype; a shape that does not fit its
/// data_offsets; overlaps, holes and trailing bytes; no tensors; a tensor of rank 0 or above 4 or
/// without elements; more than max_elements; an integer beyond ±2^53, NaN or infinity (naming the
/// first index).
TensorMap parse_safetensors(std::string_view bytes, const std::string& name);

/// The arrays as a .safetensors file, F64 and F32: the bytes that the safetensors package writes,
/// which sorts by element size and then by name, and pads the header to 8 bytes. NaN and infinities
/// are kept. Two arrays with the same name, or one named "__metadata__", break an invariant.
std::string safetensors_bytes(std::span<const Array* const> arrays);

/// Where everything lies in that file.
struct SafetensorsLayout {
  std::string header{};                    ///< at its beginning
  std::vector<std::uint64_t> values_at{};  ///< by array
  std::uint64_t bytes{0};                  ///< of the whole file
};
/// Of arrays that need no values. Breaks invariants as above.
SafetensorsLayout safetensors_layout(std::span<const Array* const> arrays);

}  // namespace orrery
