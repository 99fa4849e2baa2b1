#include "experiments/data/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

// More dimensions are refused later anyway.
constexpr std::size_t most_dimensions = 64;

/// Receives the parser's events for the header. No document is built, as that would drop keys that
/// occur twice and could be nested without limit.
class HeaderEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderEvents(std::string_view name) : name_(name) {}

  SafetensorsInfos take() { return std::move(infos_); }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    unexpected("a number with a fraction, an exponent or more than 64 bits");
  }
  bool binary(binary_t&) override { unexpected("bytes"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ != Place::list) unexpected("a number");
    if (numbers_.size() == most_dimensions) fail(fmt::format("'{}' is too long", field_));
    numbers_.push_back(number);
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) return true;
    if (place_ != Place::tensor || field_ != "dtype") unexpected("a string");
    dtype_ = std::move(text);
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside)
      place_ = Place::top;
    else if (place_ == Place::top)
      place_ = tensor_ == safetensors_metadata ? Place::metadata : Place::tensor;
    else
      unexpected("an object");
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) finish_tensor();
    place_ = place_ == Place::top ? Place::outside : Place::top;
    within_ = false;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || field_ == "dtype") unexpected("a list");
    place_ = Place::list;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    (field_ == "shape" ? shape_ : offsets_) = std::move(numbers_);
    place_ = Place::tensor;
    return true;
  }

  bool key(string_t& text) override {
    if (place_ == Place::top)
      begin_tensor(std::move(text));
    else if (place_ == Place::tensor)
      begin_field(std::move(text));
    else if (!metadata_keys_.insert(text).second)
      twice(text);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    not_json(position);
  }

  /// @param position  counted from 1, as the parser counts
  [[noreturn]] void not_json(std::size_t position) const {
    fail(fmt::format("not JSON at byte {}", position));
  }

 private:
  enum class Place { outside, top, tensor, list, metadata };

  void begin_tensor(std::string name) {
    const bool metadata = name == safetensors_metadata;
    if (infos_.contains(name) || (metadata && metadata_seen_)) twice(name);
    metadata_seen_ = metadata_seen_ || metadata;
    tensor_ = std::move(name);
    within_ = true;
    dtype_.reset();
    shape_.reset();
    offsets_.reset();
  }

  void begin_field(std::string field) {
    const bool again = (field == "dtype" && dtype_) || (field == "shape" && shape_) ||
                       (field == "data_offsets" && offsets_);
    if (again) twice(field);
    if (field != "dtype" && field != "shape" && field != "data_offsets")
      fail(fmt::format("key {} is not one of dtype, shape, data_offsets", in_quotes(field)));
    field_ = std::move(field);
  }

  void finish_tensor() {
    if (!dtype_) fail("key 'dtype' is missing");
    if (!shape_) fail("key 'shape' is missing");
    if (!offsets_) fail("key 'data_offsets' is missing");
    if (offsets_->size() != 2) fail("'data_offsets' is not a pair [begin, end]");
    infos_.emplace(std::move(tensor_), SafetensorsInfo{.dtype = std::move(*dtype_),
                                                       .shape = std::move(*shape_),
                                                       .begin = offsets_->front(),
                                                       .end = offsets_->back()});
  }

  std::string expected() const {
    switch (place_) {
      case Place::outside:
      case Place::top:
        return "an object";
      case Place::metadata:
        return "a string";
      case Place::list:
        return fmt::format("whole numbers in '{}'", field_);
      case Place::tensor:
        break;
    }
    return fmt::format("{} for '{}'", field_ == "dtype" ? "a string" : "a list of numbers", field_);
  }

  [[noreturn]] void unexpected(std::string_view found) const {
    fail(fmt::format("expected {} and found {}", expected(), found));
  }

  [[noreturn]] void twice(std::string_view key) const {
    fail(fmt::format("key {} occurs twice", in_quotes(key)));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(name_,
                    fmt::format("has a malformed safetensors header ({}{})",
                                within_ ? in_quotes(tensor_) + ": " : "", what),
                    "save it again with safetensors");
  }

  std::string_view name_;
  Place place_{Place::outside};
  std::string tensor_{};  // the last key of the outermost object
  bool within_{false};    // its value is being read
  std::string field_{};
  std::optional<std::string> dtype_{};
  std::optional<std::vector<std::uint64_t>> shape_{};
  std::optional<std::vector<std::uint64_t>> offsets_{};
  std::vector<std::uint64_t> numbers_{};
  std::set<std::string, std::less<>> metadata_keys_{};
  bool metadata_seen_{false};
  SafetensorsInfos infos_{};
};

constexpr std::size_t prefix_bytes = 8;
// The reference implementation refuses longer headers.
constexpr std::uint64_t most_header_bytes = 100'000'000;

struct Dtype {
  std::string_view name;
  NumberKind kind;
  std::size_t bytes;
};

constexpr Dtype dtypes[] = {
    {"F64", NumberKind::real, 8},
    {"F32", NumberKind::real, 4},
    {"F16", NumberKind::real, 2},
    {"BF16", NumberKind::brain_float, 2},
    {"I64", NumberKind::signed_integer, 8},
    {"I32", NumberKind::signed_integer, 4},
    {"I16", NumberKind::signed_integer, 2},
    {"I8", NumberKind::signed_integer, 1},
    {"U64", NumberKind::unsigned_integer, 8},
    {"U32", NumberKind::unsigned_integer, 4},
    {"U16", NumberKind::unsigned_integer, 2},
    {"U8", NumberKind::unsigned_integer, 1},
    {"BOOL", NumberKind::boolean, 1},
};

using Info = SafetensorsInfos::value_type;

DataError not_safetensors(std::string_view name, std::string_view why) {
  return DataError(name, fmt::format("is not a safetensors file ({})", why),
                   "save it with safetensors.numpy.save_file");
}

DataError misplaced(std::string_view name, std::string_view what) {
  return DataError(name, what, "save it again with safetensors");
}

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = prefix_bytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

std::string_view header_text(std::string_view bytes, std::string_view name) {
  if (bytes.size() <= prefix_bytes)
    throw not_safetensors(name, fmt::format("it has {} bytes", bytes.size()));
  if (bytes[prefix_bytes] != '{') throw not_safetensors(name, "its header does not begin with '{'");
  const std::uint64_t length = header_length(bytes);
  if (length > most_header_bytes)
    throw DataError(
        name,
        fmt::format("has a header of {} bytes, and at most {} are read", length, most_header_bytes),
        "save fewer tensors in one file");
  if (length > bytes.size() - prefix_bytes)
    throw DataError(name,
                    fmt::format("is cut off: its header takes {} bytes and the file has {}",
                                prefix_bytes + length, bytes.size()),
                    "copy or download the file again");
  return bytes.substr(prefix_bytes, static_cast<std::size_t>(length));
}

NumberType type_of(const Info& tensor, std::string_view name) {
  const std::string& wanted = tensor.second.dtype;
  const auto* const found = std::find_if(std::begin(dtypes), std::end(dtypes),
                                         [&](const Dtype& dtype) { return dtype.name == wanted; });
  if (found == std::end(dtypes))
    throw DataError(name,
                    fmt::format("has tensor {} of dtype {}: only F64 F32 F16 BF16, I64 I32 I16 I8, "
                                "U64 U32 U16 U8 and BOOL are read",
                                in_quotes(tensor.first), in_quotes(wanted)),
                    "save it as F32");
  return {.kind = found->kind, .bytes = found->bytes, .big_endian = false, .name = wanted};
}

/// Empty when the product does not fit 64 bits.
std::optional<std::uint64_t> bytes_of(const SafetensorsInfo& info, std::size_t element_bytes) {
  if (std::find(info.shape.begin(), info.shape.end(), 0U) != info.shape.end()) return 0;
  std::uint64_t bytes = element_bytes;
  for (const std::uint64_t dimension : info.shape) {
    if (dimension > std::numeric_limits<std::uint64_t>::max() / bytes) return std::nullopt;
    bytes *= dimension;
  }
  return bytes;
}

void require_size(const Info& tensor, std::size_t element_bytes, std::string_view name) {
  const SafetensorsInfo& info = tensor.second;
  const std::string shown = fmt::format("tensor {}: shape ({}) of {}", in_quotes(tensor.first),
                                        fmt::join(info.shape, ", "), info.dtype);
  const std::optional<std::uint64_t> needed = bytes_of(info, element_bytes);
  if (!needed) throw misplaced(name, fmt::format("has {} takes more than 2^64 bytes", shown));
  if (info.begin > info.end)
    throw misplaced(name, fmt::format("has tensor {}: data_offsets [{}, {}] run backwards",
                                      in_quotes(tensor.first), info.begin, info.end));
  if (*needed != info.end - info.begin)
    throw misplaced(name, fmt::format("has {} takes {} bytes and data_offsets [{}, {}] hold {}",
                                      shown, *needed, info.begin, info.end, info.end - info.begin));
}

std::vector<const Info*> by_position(const SafetensorsInfos& infos) {
  std::vector<const Info*> sorted;
  for (const Info& info : infos) sorted.push_back(&info);
  std::sort(sorted.begin(), sorted.end(), [](const Info* a, const Info* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  return sorted;
}

void require_no_rest(std::uint64_t covered, std::size_t held, std::string_view name) {
  const std::string facts =
      fmt::format("its tensors take {} bytes of data and the file has {}", covered, held);
  if (covered > held)
    throw DataError(name, fmt::format("is cut off: {}", facts), "copy or download the file again");
  if (covered < held) throw misplaced(name, fmt::format("has bytes left over: {}", facts));
}

/// Every byte of the data belongs to exactly one tensor.
void require_cover(const SafetensorsInfos& infos, std::size_t held, std::string_view name) {
  std::uint64_t covered = 0;
  for (const Info* const tensor : by_position(infos)) {
    const std::uint64_t begin = tensor->second.begin;
    if (begin < covered)
      throw misplaced(name, fmt::format("has tensor {} overlap another: it begins at byte {} of "
                                        "the data, before byte {} where that one ends",
                                        in_quotes(tensor->first), begin, covered));
    if (begin > covered)
      throw misplaced(name, fmt::format("has a hole: bytes {} to {} of the data, before tensor {}, "
                                        "belong to none",
                                        covered, begin, in_quotes(tensor->first)));
    covered = tensor->second.end;
  }
  require_no_rest(covered, held, name);
}

}  // namespace

SafetensorsInfos parse_safetensors_json(std::string_view text, std::string_view name) {
  HeaderEvents events(name);
  // The parser takes a NUL for the end of the text and would ignore everything after it.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    events.not_json(nul + 1);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return events.take();
}

SafetensorsEntries parse_safetensors_header(std::string_view bytes, std::string_view name) {
  const std::string_view text = header_text(bytes, name);
  SafetensorsInfos infos = parse_safetensors_json(text, name);
  if (infos.empty()) throw DataError(name, "holds no tensors", "save at least one");
  std::vector<NumberType> types;
  for (const Info& tensor : infos) {
    types.push_back(type_of(tensor, name));
    require_size(tensor, types.back().bytes, name);
  }
  const std::string_view data = bytes.substr(prefix_bytes + text.size());
  require_cover(infos, data.size(), name);

  SafetensorsEntries entries;
  auto type = types.begin();
  for (auto& [tensor, info] : infos)
    entries.emplace_hint(
        entries.end(), tensor,
        SafetensorsEntry{.type = std::move(*type++),
                         .shape = std::move(info.shape),
                         .data = data.substr(static_cast<std::size_t>(info.begin),
                                             static_cast<std::size_t>(info.end - info.begin))});
  return entries;
}

}  // namespace orrery
