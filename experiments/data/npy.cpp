#include "experiments/data/npy.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/npy_header.h"

namespace orrery {
namespace {

void require_data_size(std::size_t held, const ArrayLayout& layout, std::string_view name) {
  const std::size_t needed = layout.elements * layout.type.bytes;
  const std::string facts =
      fmt::format("shape ({}) of {} takes {} bytes of data and the file has {}",
                  fmt::join(layout.shape, ", "), layout.type.name, needed, held);
  if (held < needed)
    throw DataError(name, fmt::format("is cut off: {}", facts), "copy or download the file again");
  if (held > needed)
    throw DataError(name, fmt::format("has bytes left over: {}", facts),
                    "save one array a file with numpy.save");
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

Tensor parse_npy(std::string_view bytes, std::string name, Values allowed) {
  PlacedArray placed = place_npy(bytes, name);
  std::vector<double> values = decode_array(placed.data, placed.layout, name, allowed);
  return Tensor{.name = std::move(name),
                .shape = std::move(placed.layout.shape),
                .values = std::move(values)};
}

PlacedArray place_npy(std::string_view bytes, std::string_view name) {
  NpyHeader header = parse_npy_header(bytes, name);
  const std::string_view data = bytes.substr(header.data_offset);
  require_data_size(data.size(), header.layout, name);
  return {.layout = std::move(header.layout), .data = data};
}

std::string npy_bytes(const Array& array) { return npy_header(array).append(array_bytes(array)); }

std::string npy_header(const Array& array) {
  return header_v1(is_single(array) ? "<f4" : "<f8", array.shape);
}

}  // namespace orrery
