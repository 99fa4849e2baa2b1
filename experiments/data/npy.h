#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/data/array_codec.h"
#include "experiments/model/experiment.h"
#include "experiments/model/figure.h"

namespace orrery {

/// How many bytes at the beginning of a file hold any header that is read.
inline constexpr std::size_t max_npy_header_bytes = 10012;

/// What the header says, and all that follows it. Throws DataError for all errors of parse_npy that
/// concern the header.
PlacedArray parse_npy_header(std::string_view bytes, std::string_view name);

/// Size of the largest .npy file with max_elements.
inline constexpr std::uintmax_t max_npy_file_bytes = (std::uintmax_t{1} << 30) + (1 << 17);

/// Reads NumPy's .npy format, versions 1.0, 2.0 and 3.0 (NEP 1), as doubles in row-major order.
/// Accepts f2 f4 f8, i1 … i8, u1 … u8 of either byte order, and bool as 0 and 1; Fortran order is
/// transposed. Time and memory are proportional to the size of `bytes`, whatever the header
/// claims.
///
/// @param name  the Tensor's name, also in messages
/// @param allowed  whether it may contain −inf
/// Throws DataError: not .npy, unknown version, truncated header or data, trailing bytes, a header
/// that is not exactly {descr, fortran_order, shape}, any other type (object, string, structured,
/// complex, long double, time), rank 0 or above 4, no elements, more than max_elements, an integer
/// beyond ±2^53, NaN or infinity (naming the first index).
Tensor parse_npy(std::string_view bytes, std::string name, Values allowed = Values::finite);

/// Where its values lie. Throws DataError as parse_npy does for all but the values.
PlacedArray place_npy(std::string_view bytes, std::string_view name);

/// The array as a .npy file, version 1.0, '<f8' or '<f4', C order, header padded to 64 bytes: the
/// bytes that numpy.save writes. NaN and infinities are kept.
std::string npy_bytes(const Array& array);
/// What precedes the values in that file.
std::string npy_header(const Array& array);

}  // namespace orrery
