// Reads .npz archives, and writes what was read.
#include "experiments/data/npz.h"
#include "experiments/data/zip_archive.h"
#include "experiments/data/zip_records.h"

#include <algorithm>
#include <set>

#include "tests/fuzz/support/npy_mutation.h"
#include "tests/fuzz/support/tensor_properties.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto archive = fuzz::accepted_file([&] { return open_npz(bytes, "a.npz"); });
  if (!archive) return 0;
  TensorMap tensors;
  const std::vector<std::string> names = (*archive)->names();
  fuzz::require(!names.empty() && std::is_sorted(names.begin(), names.end()),
                "an archive has arrays, by name");
  for (const std::string& name : names) {
    auto tensor = fuzz::accepted_file([&] { return (*archive)->tensor(name); });
    if (!tensor) continue;
    fuzz::require_valid(*tensor, Values::finite);
    tensors.emplace(name, std::move(*tensor));
  }
  // A name that is not UTF-8 cannot be written, and NumPy writes none.
  std::erase_if(tensors, [](const auto& entry) { return !is_utf8(entry.first); });
  if (tensors.empty()) return 0;
  fuzz::require_round_trip(
      tensors, [](const auto& arrays) { return npz_bytes(arrays); },
      [](const std::string& written) { return parse_npz(written, "again.npz"); });
  return 0;
}

namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

/// Empty when the bytes are no archive.
Members unpacked(std::string_view bytes) {
  Members members;
  try {
    const ZipArchive zip(bytes, "mutant");
    for (std::size_t i = 0; i < zip.members().size(); ++i)
      members.emplace_back(zip.members()[i].name, zip.read(i, "mutant"));
  } catch (const DataError&) {
    members.clear();
  }
  return members;
}

/// libzip refuses to write names that are not UTF-8 or empty.
std::string writable(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= ' ' && c <= '~' ? c : '_'; });
  return name.empty() ? "_" : name;
}

void mutate_one(Members& members, fuzz::Dice& dice, std::size_t max_size) {
  auto& [name, bytes] = members[dice.roll(static_cast<unsigned>(members.size()))];
  switch (dice.roll(8)) {
    case 0:
      name = writable(fuzz::mutated(name, 64));
      return;
    case 1:
      if (members.size() < 4) members.push_back({writable(name + "2.npy"), bytes});
      return;
    case 2:
      if (members.size() > 1) members.pop_back();
      return;
    default:
      bytes = fuzz::mutated_npy(bytes, dice, max_size / 2);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  fuzz::Dice dice(seed);
  const std::string_view bytes = fuzz::text_of(data, size);
  Members members;
  if (dice.roll(3) > 0) members = unpacked(bytes);
  if (members.empty()) return LLVMFuzzerMutate(data, size, max_size);
  mutate_one(members, dice, max_size);
  std::set<std::string> names;
  std::erase_if(members, [&](const auto& member) { return !names.insert(member.first).second; });
  const std::string zipped = stored_zip(members);
  // A cut archive would only be refused.
  if (zipped.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  return fuzz::put(zipped, data, max_size);
}
