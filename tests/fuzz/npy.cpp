// Reads .npy files, and writes what was read.
#include "experiments/data/npy.h"

#include "tests/fuzz/support/npy_mutation.h"
#include "tests/fuzz/support/tensor_properties.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto mask = fuzz::accepted_file(
      [&] { return parse_npy(bytes, "mask", Values::finite_or_minus_infinity); });
  if (!mask) return 0;
  fuzz::require_valid(*mask, Values::finite_or_minus_infinity);
  const auto tensor = fuzz::accepted_file([&] { return parse_npy(bytes, "tensor"); });
  fuzz::require(tensor.has_value() == fuzz::is_finite(*mask), "only masks may hold -inf");
  const std::string written = npy_bytes(fuzz::array_of(*mask, "mask"));
  fuzz::require(written.size() % 8 == 0, "data of doubles is aligned");
  fuzz::require(
      fuzz::same_numbers(parse_npy(written, "again", Values::finite_or_minus_infinity), *mask),
      "a tensor is read as it was written");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  fuzz::Dice dice(seed);
  return fuzz::put(fuzz::mutated_npy(std::string(fuzz::text_of(data, size)), dice, max_size), data,
                   max_size);
}
