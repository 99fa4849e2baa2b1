#include "experiments/setup/encoding_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/encodings/catalogue.h"

namespace orrery {

const std::vector<EncodingSummary>& encoding_list() {
  static const std::vector<EncodingSummary> summaries = [] {
    std::vector<EncodingSummary> list;
    for (const EncodingEntry& entry : encoding_catalogue()) {
      const EncodingInfo& info = entry.info;
      list.push_back({info.name,
                      info.label,
                      info.title,
                      info.statement,
                      info.source,
                      info.formulas,
                      {},
                      info.params,
                      {}});
      for (const Formula& formula : info.score_formulas) list.back().formulas.push_back(formula);
      for (const Door door : entry.doors) list.back().doors.emplace_back(name(door));
      for (const TableSpec& table : info.tables)
        list.back().tables.push_back({table.name, table.shape, table.description, table.initial});
    }
    return list;
  }();
  return summaries;
}

const EncodingSummary* find_encoding_summary(std::string_view name) {
  const auto& list = encoding_list();
  const auto found = std::ranges::find(list, name, &EncodingSummary::name);
  return found == list.end() ? nullptr : &*found;
}

std::string label_of_encoding(const std::string& name) {
  const EncodingSummary* summary = find_encoding_summary(name);
  return summary ? summary->label : name;
}

std::string encoding_label(const std::string& name) { return find_encoding(name).info.label; }

std::string label_in_sentence(const std::string& name) {
  return name == "none" ? "no encoding" : encoding_label(name);
}

std::string listed(const std::vector<std::string>& labels) {
  constexpr std::size_t most = 4;
  const bool cut = labels.size() > most;
  const std::size_t shown = cut ? most - 2 : labels.size();
  std::string words;
  for (std::size_t i = 0; i < shown; ++i)
    words += (i == 0 ? "" : i + 1 == shown && !cut ? " and " : ", ") + labels[i];
  return cut ? fmt::format("{} and {} others", words, labels.size() - shown) : words;
}

std::string untrained_label(const std::string& name) {
  const EncodingInfo& info = find_encoding(name).info;
  return info.draws_tables() ? info.label + " (untrained tables)" : info.label;
}

int encoding_color(const std::string& name) {
  const auto& entries = encoding_catalogue();
  const auto found =
      std::ranges::find_if(entries, [&](const EncodingEntry& e) { return e.info.name == name; });
  return static_cast<int>(found - entries.begin());
}

Series encoding_series(const std::string& name) {
  return {.name = encoding_label(name), .color = encoding_color(name), .choice = name};
}

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
