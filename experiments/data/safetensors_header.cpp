#include "experiments/data/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/data/safetensors_json.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::size_t length_bytes = 8;
// The reference implementation refuses longer headers.
constexpr std::uint64_t max_header_bytes = 100'000'000;

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
  for (std::size_t i = length_bytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

std::string_view header_text(std::string_view bytes, std::string_view name) {
  if (bytes.size() <= length_bytes)
    throw not_safetensors(name, fmt::format("it has {} bytes", bytes.size()));
  if (bytes[length_bytes] != '{') throw not_safetensors(name, "its header does not begin with '{'");
  const std::uint64_t length = header_length(bytes);
  if (length > max_header_bytes)
    throw DataError(
        name,
        fmt::format("has a header of {} bytes, and at most {} are read", length, max_header_bytes),
        "save fewer tensors in one file");
  if (length > bytes.size() - length_bytes)
    throw DataError(name,
                    fmt::format("is cut off: its header takes {} bytes and the file has {}",
                                length_bytes + length, bytes.size()),
                    "copy or download the file again");
  return bytes.substr(length_bytes, static_cast<std::size_t>(length));
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

SafetensorsEntries parse_safetensors_header(std::string_view bytes, std::string_view name) {
  const std::string_view text = header_text(bytes, name);
  SafetensorsInfos infos = parse_safetensors_json(text, name);
  if (infos.empty()) throw DataError(name, "holds no tensors", "save at least one");
  std::vector<NumberType> types;
  for (const Info& tensor : infos) {
    types.push_back(type_of(tensor, name));
    require_size(tensor, types.back().bytes, name);
  }
  const std::string_view data = bytes.substr(length_bytes + text.size());
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
