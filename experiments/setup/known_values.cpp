#include "experiments/setup/known_values.h"

#include <algorithm>
#include <iterator>

namespace orrery {
namespace {

constexpr KnownValue bases[] = {{10000, "RoFormer, GPT-NeoX, Llama 2"},
                                {150000, "GPT-OSS"},
                                {500000, "Llama 3"},
                                {1e6, "Qwen 2.5, Mixtral"}};
constexpr KnownValue contexts[] = {{512, "BERT"},     {2048, "Llama"},     {4096, "Llama 2"},
                                   {8192, "Llama 3"}, {32768, "Qwen 2.5"}, {131072, "Llama 3.1"}};
constexpr KnownValue head_sizes[] = {
    {64, "BERT, GPT-2, RoFormer"}, {128, "Llama 2, Qwen3"}, {256, "GPT-J, Gemma"}};
constexpr KnownValue head_counts[] = {
    {8, "the base Transformer"}, {12, "BERT base"}, {32, "Llama 2 7B"}};
constexpr KnownValue rope_factors[] = {{8, "Llama 3.1"}, {32, "Llama 3.2, GPT-OSS"}};
constexpr KnownValue original_lengths[] = {{4096, "GPT-OSS"}, {8192, "Llama 3.1"}};
constexpr KnownValue fractions[] = {{0.25, "GPT-NeoX, StableLM"}, {0.5, "GLM-4"}};
constexpr KnownValue t5_distances[] = {{128, "T5"}};
constexpr KnownValue t5_buckets[] = {{32, "T5"}};
constexpr KnownValue deberta_spans[] = {{256, "DeBERTa v2, v3"}, {512, "DeBERTa"}};
constexpr KnownValue shaw_clips[] = {{16, "Shaw et al."}};
constexpr KnownValue alibi_exponents[] = {{8, "ALiBi, BLOOM"}};

struct Entry {
  std::string_view key;
  std::span<const KnownValue> values;
};

constexpr Entry entries[] = {{"base", bases},
                             {"compare_base", bases},
                             {"context", contexts},
                             {"train_length", contexts},
                             {"rope.length", contexts},
                             {"rope.original_length", original_lengths},
                             {"rope.factor", rope_factors},
                             {"rope.fraction", fractions},
                             {"dim", head_sizes},
                             {"heads", head_counts},
                             {"t5.max_distance", t5_distances},
                             {"t5.buckets", t5_buckets},
                             {"deberta.span", deberta_spans},
                             {"shaw.clip", shaw_clips},
                             {"alibi.bias_max", alibi_exponents}};

}  // namespace

std::span<const KnownValue> known_values(std::string_view key) {
  const auto entry = std::find_if(std::begin(entries), std::end(entries),
                                  [&](const Entry& one) { return one.key == key; });
  return entry == std::end(entries) ? std::span<const KnownValue>{} : entry->values;
}

}  // namespace orrery
