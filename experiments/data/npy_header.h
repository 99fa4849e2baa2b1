#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class NpyKind { boolean, signed_integer, unsigned_integer, real };

struct NpyType {
  NpyKind kind{NpyKind::real};
  std::size_t bytes{};  ///< 1, 2, 4 or 8
  bool big_endian{};
  std::string descr{};  ///< as in the file: "<f8"
};

/// What stands before the data of a .npy file, checked.
struct NpyHeader {
  NpyType type{};
  bool fortran_order{};
  std::vector<std::size_t> shape{};  ///< rank 1 to 4, no dimension is 0
  std::size_t elements{};            ///< the product of the shape, at most max_npy_elements
  std::size_t data_offset{};
};

/// Throws DataError as parse_npy does for all that is before the data.
NpyHeader parse_npy_header(std::string_view bytes, std::string_view name);

}  // namespace orrery
