// Reads an index of weights and the shards that it names, or one file of weights, and decodes them.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/types.h"
#include "experiments/checkpoints/decode_rows.h"
#include "experiments/checkpoints/stored_tensors.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/support/framed.h"

using namespace orrery;

namespace {

constexpr std::size_t length_word = 2;
constexpr std::uint64_t most_decoded = 1 << 14;

/// An index, a first shard and a second one: the first two with their lengths in front of them.
using Parts = std::array<std::string, 3>;

Parts parts_of(std::string_view bytes) {
  Parts parts;
  for (std::size_t i = 0; i + 1 < parts.size() && bytes.size() >= length_word; ++i) {
    const auto length = static_cast<std::size_t>(fuzz::little_endian_at(bytes, 0, length_word));
    parts[i] = bytes.substr(length_word, length);
    bytes.remove_prefix(length_word + parts[i].size());
  }
  parts.back() = bytes;
  return parts;
}

void require_within(std::string_view shard) {
  fuzz::require(!shard.empty() && shard.front() != '/', "a shard has a name in the folder");
  const std::string closed = "/" + std::string(shard) + "/";
  fuzz::require(closed.find("/../") == std::string::npos, "no shard lies outside of the folder");
}

void decode(const StoredTensor& tensor) {
  const MatrixSize size = matrix_size(tensor);
  if (size.columns != 0 && size.rows > static_cast<Index>(most_decoded) / size.columns) return;
  Matrix<float> single(size.rows, size.columns);
  Matrix<double> exact(size.rows, size.columns);
  const auto floats = fuzz::accepted_file([&] {
    decode_rows<float>(tensor, "t", 0, single);
    return true;
  });
  const auto doubles = fuzz::accepted_file([&] {
    decode_rows<double>(tensor, "t", 0, exact);
    return true;
  });
  if (!floats || !doubles) return;
  fuzz::require(exact.allFinite(), "weights are finite");
  fuzz::require(exact.cast<float>() == single, "floats are the doubles, rounded");
}

void check(const StoredTensors& tensors, std::size_t size) {
  fuzz::require(bytes_of(tensors) <= size, "tensors have no more than their files");
  for (const auto& [name, tensor] : tensors) decode(tensor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Parts parts = parts_of(fuzz::text_of(data, size));
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (const auto tensors = fuzz::accepted_file([&] { return stored_tensors(parts[i], "w"); }))
      check(*tensors, parts[i].size());
  const auto index = fuzz::accepted_file([&] { return parse_weight_index(parts[0], "i.json"); });
  if (!index) return 0;
  for (const auto& [tensor, shard] : *index) require_within(shard);
  std::size_t asked = 0;
  const auto tensors = fuzz::accepted_file([&] {
    return sharded_tensors(*index, "i.json", [&](const std::string&) {
      return std::string_view(parts[1 + asked++ % 2]);
    });
  });
  if (!tensors) return 0;
  for (const auto& [tensor, shard] : *index)
    fuzz::require(tensors->contains(tensor), "what is listed is there");
  check(*tensors, size);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  fuzz::Dice dice(seed);
  if (dice.roll(8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  Parts parts = parts_of(fuzz::text_of(data, size));
  std::string& part = parts[dice.roll(3)];
  part = fuzz::mutated(std::move(part), std::min<std::size_t>(max_size, 0xFFFF));
  std::string bytes;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    bytes += fuzz::little_endian(parts[i].size(), length_word) + parts[i];
  return fuzz::put(bytes + parts.back(), data, max_size);
}
