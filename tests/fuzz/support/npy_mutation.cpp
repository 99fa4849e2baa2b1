#include "tests/fuzz/support/npy_mutation.h"

#include "experiments/data/npy.h"

namespace orrery::fuzz {
namespace {

constexpr std::size_t magic_and_version = 8;

std::size_t needed_data(const std::string& begin_and_header) {
  try {
    const ArrayLayout layout = parse_npy_header(begin_and_header, "mutant").layout;
    return layout.elements * layout.type.bytes;
  } catch (const DataError&) {
    return std::string::npos;
  }
}

}  // namespace

std::string mutated_npy(std::string bytes, Dice& dice, std::size_t max_size) {
  const bool has_frame = bytes.size() > magic_and_version + 4;
  const std::size_t word = has_frame && bytes[6] > 1 ? 4 : 2;
  const std::size_t start = magic_and_version + word;
  const std::size_t length = has_frame ? little_endian_at(bytes, magic_and_version, word) : 0;
  if (!has_frame || length > bytes.size() - start || dice.roll(4) == 0)
    return mutated(std::move(bytes), max_size);
  Framed file{.begin = bytes.substr(0, magic_and_version),
              .header = bytes.substr(start, length),
              .data = bytes.substr(start + length)};
  const auto joined = [word](const Framed& f) {
    return f.begin + little_endian(f.header.size(), word) + f.header;
  };
  mutate(file, dice, max_size, [&](const Framed& f) { return needed_data(joined(f)); });
  return joined(file) + file.data;
}

}  // namespace orrery::fuzz
