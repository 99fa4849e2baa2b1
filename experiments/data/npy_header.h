#pragma once

#include <cstddef>
#include <string_view>

#include "experiments/data/array_codec.h"

namespace orrery {

/// The header of a .npy file, checked.
struct NpyHeader {
  ArrayLayout layout{};
  std::size_t data_offset{};
};

/// How many bytes at the beginning of a file hold any header that is read.
inline constexpr std::size_t max_npy_header_bytes = 10012;

/// Throws DataError for all errors of parse_npy that concern the header.
NpyHeader parse_npy_header(std::string_view bytes, std::string_view name);

}  // namespace orrery
