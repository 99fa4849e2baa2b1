#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/data/array_data.h"
#include "experiments/experiment.h"
#include "experiments/figure/figure.h"

namespace orrery {

/// The longest .npy file that can hold max_elements.
inline constexpr std::uintmax_t max_npy_file_bytes = (std::uintmax_t{1} << 30) + (1 << 17);

/// Reads NumPy's .npy format, versions 1.0, 2.0 and 3.0 (NEP 1), as doubles in row-major order.
/// Takes f2 f4 f8, i1 … i8, u1 … u8 of either byte order, and bool as 0 and 1; Fortran order is
/// transposed. Time and memory are in proportion to the bytes given, whatever they say.
/// @param name  the Tensor's name, and what messages call it
/// @param allowed  whether it may hold −inf
/// Throws DataError: not .npy, unknown version, header or data cut off, bytes left over, a header
/// that is not exactly {descr, fortran_order, shape}, any other type (object, string, structured,
/// complex, long double, time), rank 0 or above 4, no elements, more than max_elements, an
/// integer beyond ±2^53, NaN or infinity (naming the first index).
Tensor parse_npy(std::string_view bytes, std::string name, Values allowed = Values::finite);

/// The array as a .npy file, version 1.0, '<f8' or '<f4', C order, header padded to 64 bytes: the
/// bytes that numpy.save writes. NaN and infinities are kept.
std::string npy_bytes(const Array& array);

}  // namespace orrery
