#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// Largest number of elements read at a time: 1 GiB as double, eight heads of 4096 by 4096.
inline constexpr std::size_t max_elements = std::size_t{1} << 27;

enum class NumberKind { boolean, real, brain_float, signed_integer, unsigned_integer };

/// The storage type of a number in a file.
struct NumberType {
  NumberKind kind{NumberKind::real};
  std::size_t bytes{};  ///< 1, 2, 4 or 8
  bool big_endian{};
  std::string name{};  ///< as written in the file: "<f8", "BF16"
};

/// The values that an array may hold. Additive masks have −inf where a query does not see a key.
enum class Values { finite, finite_or_minus_infinity };

/// How the bytes of an array are to be read.
struct ArrayLayout {
  NumberType type{};
  bool column_major{};               ///< Fortran order: the first index runs fastest
  std::vector<std::size_t> shape{};  ///< rank 1 to 4, no dimension is 0
  std::size_t elements{};            ///< the product of the shape, at most max_elements
};

/// An array as it lies in a file's bytes.
struct PlacedArray {
  ArrayLayout layout{};
  std::string_view data{};  ///< layout.elements × layout.type.bytes bytes
};

/// The product of a shape, checked against the limits on reading.
/// @param name  the array's name in messages
/// Throws DataError: rank 0 or above 4, no elements, more than max_elements.
std::size_t checked_elements(std::span<const std::uint64_t> shape, std::string_view name);

/// The values as doubles in row-major order, without rounding; binary16 and bfloat16 include their
/// subnormals.
/// @param data  layout.elements × layout.type.bytes bytes
/// @param name  the array's name in messages
/// Throws DataError, naming the first index: an integer beyond ±2^53, a bool that is neither 0 nor
/// 1, a NaN or an infinity that is not allowed.
std::vector<double> decode_array(std::string_view data, const ArrayLayout& layout,
                                 std::string_view name, Values allowed = Values::finite);

/// A view of the array's values in memory, little-endian. An array whose shape and values disagree
/// breaks an invariant.
std::string_view array_bytes(const Array& array);
/// Whether its values are floats.
bool is_single(const Array& array);
/// Bytes of all values that its shape promises, whether it has them or not.
std::size_t value_bytes(const Array& array);

}  // namespace orrery
