// Reads the metadata of a GGUF file, its plan, and the numbers of its tensors.
#include "experiments/model_files/gguf_file.h"

#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_config.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto file = fuzz::accepted_file([&] { return parse_gguf(bytes, "a.gguf"); });
  if (!file) return 0;
  for (const auto& [name, tensor] : file->tensors) {
    fuzz::require(tensor.data.size() <= size, "a tensor lies within the file");
    const auto numbers =
        fuzz::accepted_file([&, &place = tensor] { return gguf_numbers(place, "a.gguf"); });
    fuzz::require(!numbers || numbers->size() <= 8 * size + 64, "numbers take bytes of the file");
  }
  const auto plan = fuzz::accepted_file([&] { return read_gguf(bytes, "a.gguf"); });
  if (plan) fuzz::require(is_utf8(positions_json(*plan)), "JSON is UTF-8");
  return 0;
}
