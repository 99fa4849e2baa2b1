#include "experiments/data/array_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/errors.h"

namespace orrery {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers of little-endian files are copied as they are");

constexpr std::size_t max_rank = 4;

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

/// "[1, 0]": the index in the array of the element at position `linear` of the file.
std::string index_text(std::size_t linear, const ArrayLayout& layout) {
  std::vector<std::size_t> index(layout.shape.size());
  for (std::size_t step = 0; step < index.size(); ++step) {
    const std::size_t axis = layout.column_major ? step : index.size() - 1 - step;
    index[axis] = linear % layout.shape[axis];
    linear /= layout.shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

template <class Stored>
bool is_exact(Stored stored) {
  constexpr auto most = static_cast<Stored>(std::int64_t{1} << 53);
  if constexpr (std::is_signed_v<Stored>) return stored >= -most && stored <= most;
  return stored <= most;
}

/// value(stored, i) converts the i-th number of the file to a double.
template <class Stored, class Value>
std::vector<double> decode_each(std::string_view data, const ArrayLayout& layout, Value&& value) {
  std::vector<double> values(layout.elements);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        value(stored_at<Stored>(data.data() + i * sizeof(Stored), layout.type.big_endian), i);
  return values;
}

template <class Stored>
std::vector<double> decode(std::string_view data, const ArrayLayout& layout,
                           std::string_view name) {
  return decode_each<Stored>(data, layout, [&](Stored stored, std::size_t i) {
    if constexpr (std::is_integral_v<Stored> && sizeof(Stored) == 8) {
      if (!is_exact(stored))
        throw DataError(name,
                        fmt::format("holds {} at {}: beyond ±2^53, where doubles skip integers",
                                    stored, index_text(i, layout)),
                        "save smaller integers or floating point numbers");
    }
    return static_cast<double>(stored);
  });
}

std::vector<double> decode_boolean(std::string_view data, const ArrayLayout& layout,
                                   std::string_view name) {
  return decode_each<unsigned char>(data, layout, [&](unsigned char byte, std::size_t i) {
    if (byte > 1)
      throw DataError(
          name,
          fmt::format("holds the byte {} at {}: a bool is 0 or 1", byte, index_text(i, layout)),
          "save the array of bools again");
    return static_cast<double>(byte);
  });
}

template <class B1, class B2, class B4, class B8>
std::vector<double> decode_integer(std::string_view data, const ArrayLayout& layout,
                                   std::string_view name) {
  switch (layout.type.bytes) {
    case 1:
      return decode<B1>(data, layout, name);
    case 2:
      return decode<B2>(data, layout, name);
    case 4:
      return decode<B4>(data, layout, name);
    default:
      return decode<B8>(data, layout, name);
  }
}

std::vector<double> decode_real(std::string_view data, const ArrayLayout& layout,
                                std::string_view name) {
  switch (layout.type.bytes) {
    case 2:
      return decode_each<std::uint16_t>(
          data, layout, [](std::uint16_t bits, std::size_t) { return half_value(bits); });
    case 4:
      return decode<float>(data, layout, name);
    default:
      return decode<double>(data, layout, name);
  }
}

/// The values in the order of the file.
std::vector<double> decode_all(std::string_view data, const ArrayLayout& layout,
                               std::string_view name) {
  switch (layout.type.kind) {
    case NumberKind::boolean:
      return decode_boolean(data, layout, name);
    case NumberKind::signed_integer:
      return decode_integer<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(data, layout,
                                                                                   name);
    case NumberKind::unsigned_integer:
      return decode_integer<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(data, layout,
                                                                                       name);
    case NumberKind::real:
      return decode_real(data, layout, name);
    case NumberKind::brain_float:
      return decode_each<std::uint16_t>(data, layout, [](std::uint16_t bits, std::size_t) {
        // bfloat16 is the upper half of a binary32.
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
      });
  }
  check_invariant(false, "every NumberKind is decoded");
  return {};
}

/// Converts from column-major (first index fastest) to row-major order.
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

void require_allowed(const std::vector<double>& values, ArrayLayout layout, std::string_view name,
                     Values allowed) {
  const auto bad = std::find_if(values.begin(), values.end(), [allowed](double value) {
    const bool is_minus_infinity = std::isinf(value) && value < 0;
    return !std::isfinite(value) &&
           !(allowed == Values::finite_or_minus_infinity && is_minus_infinity);
  });
  if (bad == values.end()) return;
  layout.column_major = false;
  throw DataError(name,
                  fmt::format("holds {} at {}: every value must be finite{}",
                              std::isnan(*bad) ? "NaN"
                              : *bad > 0       ? "inf"
                                               : "-inf",
                              index_text(static_cast<std::size_t>(bad - values.begin()), layout),
                              allowed == Values::finite ? "" : " or -inf"),
                  "find where it comes from, or replace it with numpy.nan_to_num");
}

}  // namespace

std::size_t checked_elements(std::span<const std::uint64_t> shape, std::string_view name) {
  const std::string shown = fmt::format("has shape ({})", fmt::join(shape, ", "));
  if (shape.empty() || shape.size() > max_rank)
    throw DataError(name, fmt::format("{}: its rank must be 1 to {}", shown, max_rank),
                    "reshape it before saving");
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end())
    throw DataError(name, fmt::format("{}: it holds no elements", shown),
                    "give an array with at least one");
  std::size_t elements = 1;
  for (const std::uint64_t dimension : shape) {
    if (dimension > max_elements / elements)
      throw DataError(name,
                      fmt::format("{}: more elements than the limit of {}", shown, max_elements),
                      "save a part of it");
    elements *= dimension;
  }
  return elements;
}

std::vector<double> decode_array(std::string_view data, const ArrayLayout& layout,
                                 std::string_view name, Values allowed) {
  check_invariant(data.size() == layout.elements * layout.type.bytes,
                  "an array's bytes are counted before they are decoded");
  std::vector<double> values = decode_all(data, layout, name);
  if (layout.column_major) values = row_major(values, layout.shape);
  require_allowed(values, layout, name, allowed);
  return values;
}

bool is_single(const Array& array) {
  return std::holds_alternative<std::vector<float>>(array.values);
}

std::size_t value_bytes(const Array& array) {
  std::size_t bytes = is_single(array) ? sizeof(float) : sizeof(double);
  for (const std::size_t dimension : array.shape) bytes *= dimension;
  return bytes;
}

std::string_view array_bytes(const Array& array) {
  check_invariant(
      value_bytes(array) == array.size() * (is_single(array) ? sizeof(float) : sizeof(double)),
      "an array has as many values as its shape says");
  return std::visit(
      [](const auto& values) {
        // char may alias any type.
        return std::string_view(reinterpret_cast<const char*>(values.data()),
                                values.size() * sizeof(values[0]));
      },
      array.values);
}

}  // namespace orrery
