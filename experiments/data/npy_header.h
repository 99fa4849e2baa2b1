#pragma once

#include <cstddef>
#include <string_view>

#include "experiments/data/array_data.h"

namespace orrery {

/// What stands before the data of a .npy file, checked.
struct NpyHeader {
  ArrayLayout layout{};
  std::size_t data_offset{};
};

/// Throws DataError as parse_npy does for all that is before the data.
NpyHeader parse_npy_header(std::string_view bytes, std::string_view name);

}  // namespace orrery
