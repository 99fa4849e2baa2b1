#include "experiments/model_files/gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint64_t usual_alignment = 32;
// What is kept is bounded: texts that are longer are left out, and so are lists beyond so many
// numbers.
constexpr std::uint64_t longest_name = 1024;
constexpr std::uint64_t longest_text = 4096;
constexpr std::uint64_t most_kept_numbers = 1 << 20;
// Models have some hundred keys, some thousand tensors and some hundred thousand tokens.
constexpr std::uint64_t most_keys = 1 << 14;
constexpr std::uint64_t most_tensors = 1 << 17;
constexpr std::uint64_t most_texts = 1 << 24;
constexpr std::uint32_t most_dimensions = 8;
constexpr std::uint64_t most_numbers = max_gguf_list * 64;

// Types of values in the metadata.
enum class Kind { u8, i8, u16, i16, u32, i32, f32, boolean, text, list, u64, i64, f64 };
constexpr std::size_t kind_bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
  return a * b;
}

/// Reads the header from its beginning to its end.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  [[noreturn]] void refuse(std::string_view what) const {
    throw DataError(name_, fmt::format("is a damaged GGUF ({})", what),
                    "copy or download it again");
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_)
      refuse(fmt::format("cut off at byte {}: {} more are needed and {} are left", at_, count,
                         bytes_.size() - at_));
    const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return part;
  }

  /// In the order of bytes of this machine, which is the file's.
  template <class T>
  T number() {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string_view text() { return take(number<std::uint64_t>()); }

  std::string name(std::string_view of) {
    const auto length = number<std::uint64_t>();
    if (length == 0 || length > longest_name)
      refuse(fmt::format("the name of a {} has {} bytes", of, length));
    return std::string(take(length));
  }

  /// Throws DataError for a count beyond what any model has.
  void require_at_most(std::uint64_t most, std::uint64_t count, std::string_view what) const {
    if (count > most) refuse(fmt::format("{} {}, and at most {} are read", count, what, most));
  }

  /// Whether a list of so many numbers may be kept beside those that were.
  bool keeps(std::uint64_t count) {
    if (count > max_gguf_list || kept_ + count > most_kept_numbers) return false;
    kept_ += count;
    return true;
  }

  std::size_t at() const { return at_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::string_view name_;
  std::size_t at_{0};
  std::uint64_t kept_{0};
};

Kind read_kind(Cursor& cursor) {
  const auto kind = cursor.number<std::uint32_t>();
  if (kind > static_cast<std::uint32_t>(Kind::f64))
    cursor.refuse(fmt::format("a value of type {}, and there are 13", kind));
  return static_cast<Kind>(kind);
}

template <class T>
GgufValue read_number(Cursor& cursor) {
  const T value = cursor.number<T>();
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else if (std::in_range<std::int64_t>(value))
    return static_cast<std::int64_t>(value);
  return static_cast<double>(value);
}

GgufValue read_boolean(Cursor& cursor) { return cursor.number<std::uint8_t>() != 0; }

GgufValue read_text(Cursor& cursor) {
  const std::string_view text = cursor.text();
  return std::string(text.size() > longest_text ? std::string_view() : text);
}

[[noreturn]] GgufValue refuse_list(Cursor& cursor) { cursor.refuse("a list of lists"); }

/// A value that is no list, by its kind.
GgufValue read_scalar(Cursor& cursor, Kind kind) {
  using Read = GgufValue (*)(Cursor&);
  constexpr Read readers[] = {read_number<std::uint8_t>,
                              read_number<std::int8_t>,
                              read_number<std::uint16_t>,
                              read_number<std::int16_t>,
                              read_number<std::uint32_t>,
                              read_number<std::int32_t>,
                              read_number<float>,
                              read_boolean,
                              read_text,
                              refuse_list,
                              read_number<std::uint64_t>,
                              read_number<std::int64_t>,
                              read_number<double>};
  return readers[static_cast<std::size_t>(kind)](cursor);
}

double as_number(const GgufValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return std::get<double>(value);
}

GgufValue read_list(Cursor& cursor) {
  const Kind kind = read_kind(cursor);
  const auto count = cursor.number<std::uint64_t>();
  if (kind == Kind::list) cursor.refuse("a list of lists");
  std::vector<double> numbers;
  if (kind == Kind::text) {
    cursor.require_at_most(most_texts, count, "texts in a list");
    // Each takes 8 bytes at least, so that the end of the file ends a count that is too large.
    for (std::uint64_t i = 0; i < count; ++i) cursor.text();
    return numbers;
  }
  const auto bytes = product(count, kind_bytes[static_cast<std::size_t>(kind)]);
  if (!bytes) cursor.refuse(fmt::format("a list of {} values", count));
  if (!cursor.keeps(count)) {
    cursor.take(*bytes);
    return numbers;
  }
  for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(as_number(read_scalar(cursor, kind)));
  return numbers;
}

void read_values(Cursor& cursor, std::uint64_t count, GgufFile& file) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string key = cursor.name("key");
    const Kind kind = read_kind(cursor);
    GgufValue value = kind == Kind::list ? read_list(cursor) : read_scalar(cursor, kind);
    if (file.values.contains(key))
      cursor.refuse(fmt::format("key {} occurs twice", in_quotes(key)));
    file.values.emplace(std::move(key), std::move(value));
  }
}

struct Place {
  std::string name;
  GgufTensor tensor;
  std::uint64_t offset;
};

Place read_place(Cursor& cursor) {
  Place place{.name = cursor.name("tensor"), .tensor = {}, .offset = 0};
  const auto dimensions = cursor.number<std::uint32_t>();
  if (dimensions > most_dimensions)
    cursor.refuse(fmt::format("tensor {} has {} dimensions", in_quotes(place.name), dimensions));
  for (std::uint32_t d = 0; d < dimensions; ++d)
    place.tensor.shape.push_back(cursor.number<std::uint64_t>());
  place.tensor.type = cursor.number<std::uint32_t>();
  place.offset = cursor.number<std::uint64_t>();
  return place;
}

/// Bytes of a tensor whose type is known. None for another, or when they do not fit 64 bits.
std::optional<std::uint64_t> bytes_of(const GgufTensor& tensor, bool& fits) {
  fits = true;
  const GgufBlock* const block = find_gguf_block(tensor.type);
  if (!block) return std::nullopt;
  std::optional<std::uint64_t> numbers = 1;
  for (const std::uint64_t d : tensor.shape)
    if (numbers) numbers = product(*numbers, d);
  fits = numbers && *numbers % block->numbers == 0;
  return fits ? product(*numbers / block->numbers, block->bytes) : std::nullopt;
}

std::uint64_t alignment_of(const Cursor& cursor, const GgufFile& file) {
  const auto found = file.values.find("general.alignment");
  if (found == file.values.end()) return usual_alignment;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  if (!value || *value <= 0 || *value > (1 << 20) || (*value & (*value - 1)) != 0)
    cursor.refuse("general.alignment is no power of two");
  return static_cast<std::uint64_t>(*value);
}

/// The next place where something that is aligned may begin.
std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

/// As llama.cpp reads it: tensors follow each other, so that a type that is not the one that was written shows.
void require_no_holes(const Cursor& cursor, const std::vector<Place>& places,
                      std::uint64_t alignment) {
  std::vector<const Place*> sorted;
  for (const Place& place : places) sorted.push_back(&place);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Place* a, const Place* b) { return a->offset < b->offset; });
  std::optional<std::uint64_t> end = 0;
  for (const Place* place : sorted) {
    bool fits = true;
    if (end && place->offset != *end)
      cursor.refuse(
          fmt::format("tensor {} begins at byte {} of the data, where the tensors before "
                      "it end at {}",
                      in_quotes(place->name), place->offset, *end));
    const std::optional<std::uint64_t> bytes = bytes_of(place->tensor, fits);
    end = bytes ? std::optional(aligned(place->offset + *bytes, alignment)) : std::nullopt;
  }
}

void place_tensors(const Cursor& cursor, std::vector<Place> places, std::string_view bytes,
                   GgufFile& file) {
  const std::uint64_t alignment = alignment_of(cursor, file);
  const std::uint64_t start = aligned(cursor.at(), alignment);
  for (const Place& place : places)
    if (std::count(place.tensor.shape.begin(), place.tensor.shape.end(), 0U) > 0)
      cursor.refuse(fmt::format("tensor {} has a dimension of 0", in_quotes(place.name)));
  std::vector<Place> in_order = places;
  for (Place& place : places) {
    bool fits = true;
    const std::optional<std::uint64_t> needed = bytes_of(place.tensor, fits);
    const std::string shown = in_quotes(place.name);
    if (!fits) cursor.refuse(fmt::format("tensor {} has a shape that its type cannot have", shown));
    if (place.offset % alignment != 0)
      cursor.refuse(fmt::format("tensor {} is not aligned", shown));
    if (start > bytes.size() || place.offset > bytes.size() - start ||
        needed.value_or(0) > bytes.size() - start - place.offset)
      cursor.refuse(fmt::format("cut off: tensor {} reaches beyond the end", shown));
    place.tensor.data = bytes.substr(static_cast<std::size_t>(start + place.offset));
    if (!file.tensors.emplace(std::move(place.name), std::move(place.tensor)).second)
      cursor.refuse(fmt::format("tensor {} occurs twice", shown));
  }
  require_no_holes(cursor, in_order, alignment);
}

const GgufBlock& decoded_block(std::uint32_t type, std::string_view name) {
  const GgufBlock* const block = find_gguf_block(type);
  if (block && block->decoded) return *block;
  const std::string shown = block ? std::string(block->name) : std::to_string(type);
  throw DataError(name, fmt::format("has a tensor of type {}, which is not decoded", shown),
                  "write it as F32");
}

std::uint64_t counted_numbers(const GgufTensor& tensor, std::string_view name) {
  std::uint64_t count = 1;
  for (const std::uint64_t d : tensor.shape) {
    if (d > most_numbers || count * d > most_numbers)
      throw DataError(name, fmt::format("has a tensor of more than {} numbers", most_numbers),
                      "only the factors of frequencies are read");
    count *= d;
  }
  return count;
}

GgufList read_full_list(Cursor& cursor) {
  const Kind kind = read_kind(cursor);
  const auto count = cursor.number<std::uint64_t>();
  cursor.require_at_most(most_texts, count, "values in a list");
  GgufList list;
  for (std::uint64_t i = 0; i < count; ++i)
    if (kind == Kind::text)
      list.texts.push_back(cursor.text());
    else
      list.numbers.push_back(as_number(read_scalar(cursor, kind)));
  return list;
}

}  // namespace

bool is_gguf(std::string_view bytes) { return bytes.starts_with(magic); }

GgufFile parse_gguf(std::string_view bytes, std::string_view name) {
  Cursor cursor(bytes, name);
  if (!is_gguf(bytes)) throw DataError(name, "is no GGUF", "give a .gguf file");
  cursor.take(magic.size());
  GgufFile file;
  file.version = cursor.number<std::uint32_t>();
  if (file.version != 0 && (file.version & 0xFFFFU) == 0)
    throw DataError(name, "was written on a machine of the other byte order",
                    "convert it with gguf-convert-endian NAME.gguf little");
  if (file.version != 2 && file.version != 3)
    throw DataError(
        name, fmt::format("is a GGUF of version {}, and versions 2 and 3 are read", file.version),
        "convert the model again with a newer llama.cpp");
  const auto tensors = cursor.number<std::uint64_t>();
  const auto values = cursor.number<std::uint64_t>();
  cursor.require_at_most(most_keys, values, "keys");
  cursor.require_at_most(most_tensors, tensors, "tensors");
  read_values(cursor, values, file);
  std::vector<Place> places;
  for (std::uint64_t i = 0; i < tensors; ++i) places.push_back(read_place(cursor));
  place_tensors(cursor, std::move(places), bytes, file);
  return file;
}

std::vector<double> gguf_numbers(const GgufTensor& tensor, std::string_view name) {
  const GgufBlock& block = decoded_block(tensor.type, name);
  const std::uint64_t count = counted_numbers(tensor, name);
  const auto blocks = static_cast<std::size_t>(count / block.numbers);
  if (count % block.numbers != 0 || blocks * block.bytes > tensor.data.size())
    throw DataError(name, "has a tensor that is cut off", "copy or download it again");
  std::vector<double> numbers(static_cast<std::size_t>(count));
  if (numbers.empty()) return numbers;
  if (block.type == static_cast<std::uint32_t>(GgufType::f64)) {
    std::memcpy(numbers.data(), tensor.data.data(), numbers.size() * sizeof(double));
    return numbers;
  }
  std::vector<float> floats(numbers.size());
  decode_gguf_blocks(static_cast<GgufType>(block.type), tensor.data.data(), blocks, floats.data());
  std::copy(floats.begin(), floats.end(), numbers.begin());
  return numbers;
}

GgufList gguf_list(std::string_view bytes, std::string_view key, std::string_view name) {
  Cursor cursor(bytes, name);
  cursor.take(magic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t));
  const auto values = cursor.number<std::uint64_t>();
  cursor.require_at_most(most_keys, values, "keys");
  for (std::uint64_t i = 0; i < values; ++i) {
    const std::string found = cursor.name("key");
    const Kind kind = read_kind(cursor);
    if (kind == Kind::list && found == key) return read_full_list(cursor);
    if (kind == Kind::list)
      read_list(cursor);
    else
      read_scalar(cursor, kind);
  }
  return {};
}

}  // namespace orrery
