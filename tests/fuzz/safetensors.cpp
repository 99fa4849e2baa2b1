// Reads .safetensors files, and writes what was read.
#include "experiments/data/safetensors.h"

#include <algorithm>

#include "experiments/data/safetensors_header.h"
#include "tests/fuzz/support/framed.h"
#include "tests/fuzz/support/tensor_properties.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto archive = fuzz::accepted_file([&] { return open_safetensors(bytes, "a"); });
  if (!archive) return 0;
  TensorMap tensors;
  const std::vector<std::string> names = (*archive)->names();
  fuzz::require(!names.empty() && std::is_sorted(names.begin(), names.end()),
                "a file has tensors, by name");
  for (const std::string& name : names) {
    fuzz::require(is_utf8(name), "JSON is UTF-8");
    auto tensor = fuzz::accepted_file(
        [&] { return (*archive)->tensor(name, Values::finite_or_minus_infinity); });
    if (!tensor) continue;
    fuzz::require_valid(*tensor, Values::finite_or_minus_infinity);
    if (fuzz::is_finite(*tensor)) tensors.emplace(name, std::move(*tensor));
  }
  if (tensors.empty()) return 0;
  fuzz::require_round_trip(
      tensors, [](const auto& arrays) { return safetensors_bytes(arrays); },
      [](const std::string& written) { return parse_safetensors(written, "again"); });
  return 0;
}

namespace {

constexpr std::size_t word = 8;

std::size_t needed_data(const fuzz::Framed& file) {
  try {
    std::uint64_t end = 0;
    for (const auto& [name, info] : parse_safetensors_json(file.header, "mutant"))
      end = std::max(end, info.end);
    return static_cast<std::size_t>(end);
  } catch (const DataError&) {
    return std::string::npos;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  fuzz::Dice dice(seed);
  const std::string_view bytes = fuzz::text_of(data, size);
  const std::uint64_t length = size > word ? fuzz::little_endian_at(bytes, 0, word) : 0;
  if (size <= word || length > size - word || dice.roll(8) == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  fuzz::Framed file{.begin = {},
                    .header = std::string(bytes.substr(word, length)),
                    .data = std::string(bytes.substr(word + length))};
  fuzz::mutate(file, dice, max_size, needed_data);
  return fuzz::put(fuzz::little_endian(file.header.size(), word) + file.header + file.data, data,
                   max_size);
}
