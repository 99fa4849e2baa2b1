#include "experiments/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/data/npy_header.h"

namespace orrery {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in '<'");

/// IEEE 754 binary16, exactly.
double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1F)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

template <class Stored>
Stored stored_at(const char* bytes, bool big_endian) {
  std::array<char, sizeof(Stored)> copy{};
  std::memcpy(copy.data(), bytes, sizeof(Stored));
  if (big_endian) std::reverse(copy.begin(), copy.end());
  return std::bit_cast<Stored>(copy);
}

/// "[1, 0]": where in the array the element is that lies `linear` elements into the file.
std::string index_text(std::size_t linear, const NpyHeader& header) {
  std::vector<std::size_t> index(header.shape.size());
  for (std::size_t step = 0; step < index.size(); ++step) {
    const std::size_t axis = header.fortran_order ? step : index.size() - 1 - step;
    index[axis] = linear % header.shape[axis];
    linear /= header.shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

template <class Stored>
bool is_exact(Stored stored) {
  constexpr auto most = static_cast<Stored>(std::int64_t{1} << 53);
  if constexpr (std::is_signed_v<Stored>) return stored >= -most && stored <= most;
  return stored <= most;
}

template <class Stored>
std::vector<double> decode(std::string_view data, const NpyHeader& header, std::string_view name) {
  std::vector<double> values(header.elements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Stored stored =
        stored_at<Stored>(data.data() + i * sizeof(Stored), header.type.big_endian);
    if constexpr (std::is_integral_v<Stored> && sizeof(Stored) == 8) {
      if (!is_exact(stored))
        throw DataError(name,
                        fmt::format("holds {} at {}: beyond ±2^53, where doubles skip integers",
                                    stored, index_text(i, header)),
                        "save smaller integers or floating point numbers");
    }
    values[i] = static_cast<double>(stored);
  }
  return values;
}

std::vector<double> decode_half(std::string_view data, const NpyHeader& header) {
  std::vector<double> values(header.elements);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = half_value(stored_at<std::uint16_t>(data.data() + 2 * i, header.type.big_endian));
  return values;
}

std::vector<double> decode_boolean(std::string_view data, const NpyHeader& header,
                                   std::string_view name) {
  std::vector<double> values(header.elements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto byte = static_cast<unsigned char>(data[i]);
    if (byte > 1)
      throw DataError(
          name,
          fmt::format("holds the byte {} at {}: a bool is 0 or 1", byte, index_text(i, header)),
          "save it again with numpy.save");
    values[i] = byte;
  }
  return values;
}

template <class B1, class B2, class B4, class B8>
std::vector<double> decode_integer(std::string_view data, const NpyHeader& header,
                                   std::string_view name) {
  switch (header.type.bytes) {
    case 1:
      return decode<B1>(data, header, name);
    case 2:
      return decode<B2>(data, header, name);
    case 4:
      return decode<B4>(data, header, name);
    default:
      return decode<B8>(data, header, name);
  }
}

std::vector<double> decode_real(std::string_view data, const NpyHeader& header,
                                std::string_view name) {
  switch (header.type.bytes) {
    case 2:
      return decode_half(data, header);
    case 4:
      return decode<float>(data, header, name);
    default:
      return decode<double>(data, header, name);
  }
}

/// In the order of the file.
std::vector<double> decode_all(std::string_view data, const NpyHeader& header,
                               std::string_view name) {
  switch (header.type.kind) {
    case NpyKind::boolean:
      return decode_boolean(data, header, name);
    case NpyKind::signed_integer:
      return decode_integer<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(data, header,
                                                                                   name);
    case NpyKind::unsigned_integer:
      return decode_integer<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(data, header,
                                                                                       name);
    case NpyKind::real:
      return decode_real(data, header, name);
  }
  check_invariant(false, "every NpyKind is decoded");
  return {};
}

/// First index fastest → last index fastest.
std::vector<double> row_major(const std::vector<double>& column_major,
                              const std::vector<std::size_t>& shape) {
  std::vector<double> values(column_major.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (const double value : column_major) {
    std::size_t linear = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      linear = linear * shape[axis] + index[axis];
    values[linear] = value;
    for (std::size_t axis = 0; axis < shape.size() && ++index[axis] == shape[axis]; ++axis)
      index[axis] = 0;
  }
  return values;
}

void require_data_size(std::size_t held, const NpyHeader& header, std::string_view name) {
  const std::size_t needed = header.elements * header.type.bytes;
  const std::string facts =
      fmt::format("shape ({}) of {} takes {} bytes of data and the file has {}",
                  fmt::join(header.shape, ", "), header.type.descr, needed, held);
  if (held < needed)
    throw DataError(name, fmt::format("is cut off: {}", facts), "copy or download the file again");
  if (held > needed)
    throw DataError(name, fmt::format("has bytes left over: {}", facts),
                    "save one array a file with numpy.save");
}

void require_finite(const std::vector<double>& values, NpyHeader header, std::string_view name) {
  const auto bad = std::find_if(values.begin(), values.end(),
                                [](double value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  header.fortran_order = false;
  throw DataError(name,
                  fmt::format("holds {} at {}: every value must be finite",
                              std::isnan(*bad) ? "NaN"
                              : *bad > 0       ? "inf"
                                               : "-inf",
                              index_text(static_cast<std::size_t>(bad - values.begin()), header)),
                  "find where it comes from, or replace it with numpy.nan_to_num");
}

std::string shape_tuple(const std::vector<std::size_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string header_v1(std::string_view descr, const std::vector<std::size_t>& shape) {
  constexpr std::size_t prefix = 10;
  constexpr std::size_t alignment = 64;
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr,
                                 shape_tuple(shape));
  const std::size_t used = (prefix + dict.size() + 1) % alignment;
  dict.append((alignment - used) % alignment, ' ');
  dict += '\n';
  check_invariant(dict.size() <= 0xFFFF, "the header of an array fits version 1.0");
  std::string bytes = "\x93NUMPY";
  bytes += {'\1', '\0', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  return bytes + dict;
}

}  // namespace

Tensor parse_npy(std::string_view bytes, std::string name) {
  NpyHeader header = parse_npy_header(bytes, name);
  const std::string_view data = bytes.substr(header.data_offset);
  require_data_size(data.size(), header, name);
  std::vector<double> values = decode_all(data, header, name);
  if (header.fortran_order) values = row_major(values, header.shape);
  require_finite(values, header, name);
  return Tensor{
      .name = std::move(name), .shape = std::move(header.shape), .values = std::move(values)};
}

std::string npy_bytes(const Array& array) {
  std::size_t elements = 1;
  for (const std::size_t dimension : array.shape) elements *= dimension;
  check_invariant(elements == array.size(), "an array has as many values as its shape says");
  return std::visit(
      [&](const auto& values) {
        const bool single = sizeof(values[0]) == sizeof(float);
        std::string bytes = header_v1(single ? "<f4" : "<f8", array.shape);
        const std::size_t start = bytes.size();
        const std::size_t length = values.size() * sizeof(values[0]);
        bytes.resize(start + length);
        if (length > 0) std::memcpy(bytes.data() + start, values.data(), length);
        return bytes;
      },
      array.values);
}

}  // namespace orrery
