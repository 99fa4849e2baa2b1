#include "experiments/data/archive_layout.h"

#include "experiments/data/array_codec.h"

namespace orrery::data {

std::string filled(ArchiveLayout& layout, std::span<const Array* const> arrays) {
  std::string bytes(layout.bytes(), '\0');
  const auto put = [&](std::uint64_t offset, std::string_view part) {
    part.copy(bytes.data() + offset, part.size());
  };
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    layout.see(i, array_bytes(*arrays[i]));
    put(layout.values_at(i), array_bytes(*arrays[i]));
  }
  layout.put_frame(put);
  return bytes;
}

}  // namespace orrery::data
