#include "experiments/data/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "core/errors.h"
#include "experiments/data/npy_dict.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t version_offset = 6;
constexpr std::size_t length_offset = 8;
// NumPy itself refuses longer headers by default.
constexpr std::size_t max_header_bytes = 10000;
static_assert(max_npy_header_bytes == length_offset + 4 + max_header_bytes);

DataError cut_off(std::string_view name, std::size_t held, std::size_t needed) {
  return DataError(
      name, fmt::format("is cut off: its header takes {} bytes and the file has {}", needed, held),
      "copy or download the file again");
}

std::size_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

void require_bytes(std::string_view bytes, std::size_t needed, std::string_view name) {
  if (bytes.size() < needed) throw cut_off(name, bytes.size(), needed);
}

/// Size of the length field: 2 bytes in version 1.0, 4 in 2.0 and 3.0.
std::size_t length_bytes(std::string_view bytes, std::string_view name) {
  const std::size_t major = byte_at(bytes, version_offset);
  const std::size_t minor = byte_at(bytes, version_offset + 1);
  if (major < 1 || major > 3 || minor != 0)
    throw DataError(
        name,
        fmt::format("is .npy version {}.{}, and only 1.0, 2.0 and 3.0 are read", major, minor),
        "save it again with numpy.save");
  return major == 1 ? 2 : 4;
}

/// The header's text; sets data_offset to its end.
std::string_view header_text(std::string_view bytes, std::string_view name,
                             std::size_t& data_offset) {
  if (!bytes.starts_with(magic.substr(0, std::min(bytes.size(), magic.size()))) || bytes.empty())
    throw DataError(name, "is not a .npy file (it does not begin with \\x93NUMPY)",
                    "save the array with numpy.save");
  require_bytes(bytes, length_offset, name);
  const std::size_t field = length_bytes(bytes, name);
  require_bytes(bytes, length_offset + field, name);
  std::size_t length = 0;
  for (std::size_t i = field; i-- > 0;) length = length << 8 | byte_at(bytes, length_offset + i);
  if (length > max_header_bytes)
    throw DataError(
        name,
        fmt::format("has a header of {} bytes, and at most {} are read", length, max_header_bytes),
        "save a plain numeric array with numpy.save");
  data_offset = length_offset + field + length;
  require_bytes(bytes, data_offset, name);
  return bytes.substr(length_offset + field, length);
}

DataError refused_type(std::string_view descr, std::string_view name) {
  const auto refusal = [&](std::string_view what, std::string_view remedy) {
    return DataError(name, fmt::format("has dtype {}: {}", in_quotes(descr), what), remedy);
  };
  constexpr std::string_view as_real = "save with np.save(…, np.asarray(x, dtype=np.float32))";
  switch (descr.size() > 1 ? descr[1] : '\0') {
    case 'O':
      return refusal("object arrays hold Python objects and are never loaded", as_real);
    case 'c':
      return refusal("complex numbers are not read", "save x.real and x.imag as two files");
    case 'S':
    case 'U':
    case 'a':
      return refusal("strings are not numbers", "give an array of numbers");
    case 'V':
      return refusal("raw or structured records are not numbers", as_real);
    case 'M':
    case 'm':
      return refusal("times are not read", as_real);
    default:
      return refusal("only f2 f4 f8, i1 i2 i4 i8, u1 u2 u4 u8 and b1 are read", as_real);
  }
}

bool is_one_of(std::size_t bytes, std::initializer_list<std::size_t> sizes) {
  return std::find(sizes.begin(), sizes.end(), bytes) != sizes.end();
}

bool has_size(NumberKind kind, std::size_t bytes) {
  switch (kind) {
    case NumberKind::boolean:
      return bytes == 1;
    case NumberKind::real:
      return is_one_of(bytes, {2, 4, 8});
    case NumberKind::signed_integer:
    case NumberKind::unsigned_integer:
      return is_one_of(bytes, {1, 2, 4, 8});
    case NumberKind::brain_float:
      break;  // NumPy has no such type
  }
  return false;
}

NumberKind kind_of(std::string_view descr, std::string_view name) {
  switch (descr[1]) {
    case 'b':
      return NumberKind::boolean;
    case 'i':
      return NumberKind::signed_integer;
    case 'u':
      return NumberKind::unsigned_integer;
    case 'f':
      return NumberKind::real;
    default:
      throw refused_type(descr, name);
  }
}

NumberType type_of(const std::string& descr, std::string_view name) {
  constexpr std::string_view orders = "<>|";
  if (descr.size() != 3 || orders.find(descr[0]) == std::string_view::npos)
    throw refused_type(descr, name);
  NumberType type{.kind = kind_of(descr, name),
                  .bytes = static_cast<std::size_t>(descr[2] - '0'),
                  .big_endian = descr[0] == '>',
                  .name = descr};
  const bool order_told = descr[0] != '|' || type.bytes == 1;
  if (!order_told || !has_size(type.kind, type.bytes)) throw refused_type(descr, name);
  return type;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, std::string_view name) {
  NpyHeader header;
  const std::string_view text = header_text(bytes, name, header.data_offset);
  const NpyDict dict = parse_npy_dict(text, name);
  header.layout = {.type = type_of(dict.descr, name),
                   .column_major = dict.fortran_order,
                   .shape = {dict.shape.begin(), dict.shape.end()},
                   .elements = checked_elements(dict.shape, name)};
  return header;
}

}  // namespace orrery
