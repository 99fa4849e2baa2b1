#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The dictionary of a .npy header, as written.
struct NpyDict {
  std::string descr{};
  bool fortran_order{};
  std::vector<std::uint64_t> shape{};
};

/// Reads the Python literal "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }": exactly
/// these keys in any order, then white space only. Nothing is evaluated.
/// Throws DataError, with the offset in the header; also for structured types.
NpyDict parse_npy_dict(std::string_view text, std::string_view name);

}  // namespace orrery
