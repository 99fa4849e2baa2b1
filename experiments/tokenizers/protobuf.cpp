#include "experiments/tokenizers/protobuf.h"

#include <fmt/format.h>

#include "core/errors.h"

namespace orrery {
namespace {

// Kinds of values, in the low bits of a field's key.
constexpr std::uint64_t varint_kind = 0, eight_bytes_kind = 1, bytes_kind = 2, four_bytes_kind = 5;
constexpr unsigned kind_bits = 3, varint_bits = 7, most_shift = 63;

}  // namespace

bool ProtoReader::next(ProtoField& field) {
  if (rest_.empty()) return false;
  const std::uint64_t key = varint();
  field = {.number = key >> kind_bits};
  switch (key & ((1U << kind_bits) - 1)) {
    case varint_kind:
      field.value = varint();
      return true;
    case eight_bytes_kind:
      field.value = little_endian(8);
      return true;
    case four_bytes_kind:
      field.value = little_endian(4);
      return true;
    case bytes_kind:
      field.bytes = take(varint());
      field.is_bytes = true;
      return true;
    default:
      refuse("a field of no known kind");
  }
}

void ProtoReader::refuse(std::string_view what) const {
  throw DataError(file_, fmt::format("is a damaged tokenizer.model ({})", what),
                  "copy or download it again");
}

std::uint64_t ProtoReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift <= most_shift; shift += varint_bits) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  refuse("a number that is too long");
}

std::uint64_t ProtoReader::little_endian(std::size_t bytes) {
  const std::string_view part = take(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(part[i]);
  return value;
}

std::string_view ProtoReader::take(std::uint64_t count) {
  if (count > rest_.size()) refuse("cut off");
  const std::string_view part = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(static_cast<std::size_t>(count));
  return part;
}

}  // namespace orrery
