#include "experiments/setup/known_values.h"

#include <map>

namespace orrery::setup {

const std::vector<KnownValue>& known_values(std::string_view key) {
  // From the papers and the models' published configurations.
  static const std::map<std::string_view, std::vector<KnownValue>> known{
      {"base", {{1e4, "RoFormer, Llama 2, GPT-NeoX"}, {5e5, "Llama 3"}, {1e6, "Qwen 2.5"}}},
      {"context",
       {{2048, "Llama, GPT-NeoX"}, {4096, "Llama 2"}, {8192, "Llama 3"}, {131072, "Llama 3.1"}}},
      {"dim", {{64, "RoFormer"}, {128, "Llama"}}},
      {"heads", {{12, "RoFormer"}, {32, "Llama, 7B"}}},
      {"t5.buckets", {{32, "T5"}}},
      {"t5.max_distance", {{128, "T5"}}}};
  static const std::vector<KnownValue> none;
  const auto found = known.find(key);
  return found == known.end() ? none : found->second;
}

}  // namespace orrery::setup
