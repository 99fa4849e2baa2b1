#include "experiments/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

/// The dictionary of a .npy header, as written.
struct NpyDict {
  std::string descr{};
  bool fortran_order{};
  std::vector<std::uint64_t> shape{};
};

// More digits do not fit 64 bits, and more dimensions are refused later anyway.
constexpr std::size_t max_dimensions = 64;

/// Reads the Python literal "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }": exactly
/// these keys in any order, then white space only. Nothing is evaluated. Throws DataError, with the
/// offset in the header; also for structured types.
class DictParser {
 public:
  DictParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  NpyDict parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (at_ != text_.size()) fail("expected nothing after the dictionary");
    return complete();
  }

 private:
  void entry() {
    const std::string_view key = string();
    expect(':');
    if (key == "descr")
      assign(descr_, descr(), key);
    else if (key == "fortran_order")
      assign(fortran_order_, boolean(), key);
    else if (key == "shape")
      assign(shape_, tuple(), key);
    else
      fail(fmt::format("key {} is not one of descr, fortran_order, shape", in_quotes(key)));
  }

  template <class Value>
  void assign(std::optional<Value>& slot, Value value, std::string_view key) {
    if (slot) fail(fmt::format("key {} occurs twice", in_quotes(key)));
    slot = std::move(value);
  }

  std::string descr() {
    if (peek() == '[')
      throw DataError(name_, "holds a structured array (records with named fields)",
                      "save one field: np.save(\"array.npy\", array[\"field\"])");
    return std::string(string());
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("expected a quoted string");
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\\') ++at_;
    if (at_ >= text_.size()) fail("a string does not end");
    if (text_[at_] == '\\') fail("a string contains a backslash");
    return text_.substr(start, at_++ - start);
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail("expected True or False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("expected ',' or ')'");
      if (numbers.size() == max_dimensions) fail("the shape has too many dimensions");
      numbers.push_back(number());
      comma = accept(',');
      if (!comma && numbers.size() == 1) fail("a shape of one dimension is written (n,)");
    }
    return numbers;
  }

  std::uint64_t number() {
    skip_space();
    std::uint64_t value{};
    const char* begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (status == std::errc::result_out_of_range) fail("a dimension does not fit 64 bits");
    if (status != std::errc()) fail("expected a whole number that is not negative");
    if (*begin == '0' && end != begin + 1) fail("a number begins with 0");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  NpyDict complete() {
    if (!descr_) fail("key 'descr' is missing");
    if (!fortran_order_) fail("key 'fortran_order' is missing");
    if (!shape_) fail("key 'shape' is missing");
    return {std::move(*descr_), *fortran_order_, std::move(*shape_)};
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("expected '{}'", wanted));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(name_, fmt::format("has a malformed .npy header ({}, at offset {})", what, at_),
                    "save it again with numpy.save");
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_{0};
  std::optional<std::string> descr_{};
  std::optional<bool> fortran_order_{};
  std::optional<std::vector<std::uint64_t>> shape_{};
};

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

std::string header_v1(std::string_view descr, const std::vector<std::size_t>& shape) {
  constexpr std::size_t prefix = 10;
  constexpr std::size_t alignment = 64;
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t used = (prefix + dict.size() + 1) % alignment;
  dict.append((alignment - used) % alignment, ' ');
  dict += '\n';
  check_invariant(dict.size() <= 0xFFFF, "the header of an array fits version 1.0");
  std::string bytes = "\x93NUMPY";
  bytes += {'\1', '\0', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  return bytes + dict;
}

}  // namespace

PlacedArray parse_npy_header(std::string_view bytes, std::string_view name) {
  std::size_t data_offset{};
  const NpyDict dict = DictParser(header_text(bytes, name, data_offset), name).parse();
  return {.layout = {.type = type_of(dict.descr, name),
                     .column_major = dict.fortran_order,
                     .shape = {dict.shape.begin(), dict.shape.end()},
                     .elements = checked_elements(dict.shape, name)},
          .data = bytes.substr(data_offset)};
}

Tensor parse_npy(std::string_view bytes, std::string name, Values allowed) {
  PlacedArray placed = place_npy(bytes, name);
  std::vector<double> values = decode_array(placed.data, placed.layout, name, allowed);
  return Tensor{.name = std::move(name),
                .shape = std::move(placed.layout.shape),
                .values = std::move(values)};
}

PlacedArray place_npy(std::string_view bytes, std::string_view name) {
  PlacedArray placed = parse_npy_header(bytes, name);
  require_data_size(placed.data.size(), placed.layout, name);
  return placed;
}

std::string npy_bytes(const Array& array) { return npy_header(array).append(array_bytes(array)); }

std::string npy_header(const Array& array) {
  return header_v1(is_single(array) ? "<f4" : "<f8", array.shape);
}

}  // namespace orrery
