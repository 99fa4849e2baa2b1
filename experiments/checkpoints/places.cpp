#include "experiments/checkpoints/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/errors.h"

namespace orrery {
namespace {

/// How the names of buffers end that the code computes anew.
constexpr std::string_view buffers =
    "rotary_emb.inv_freq pos_emb.inv_freq embeddings.position_embeddings.weight attn.bias "
    "attn.masked_bias attention.bias attention.masked_bias self_attention.masked_bias "
    "position_ids token_type_ids rope_freqs.weight rope_factors_long.weight "
    "rope_factors_short.weight";
/// And of parts that no hidden state passes through: second copies, and what training alone reads.
constexpr std::string_view idle_parts =
    "mask_emb encoder.rel_embeddings.weight encoder.LayerNorm.weight encoder.LayerNorm.bias "
    "encoder.embed_tokens.weight decoder.embed_tokens.weight "
    "EncDecAttention.relative_attention_bias.weight cross_attn_rel_b.weight";
/// How the names of heads begin that give no logits of the vocabulary, or second ones.
constexpr std::string_view other_heads =
    "pooler. cls.seq_relationship. cls.predictions.bias cls.weight cls.bias cls.norm. cls.output. "
    "lm_head. embed_out. decoder.weight decoder.bias crit. lm_loss. mask_predictions. classifier. "
    "score. qa_outputs. sequence_summary.";
constexpr std::string_view pooler = ".pooler.";  // of BERT and its kin, behind their prefix

/// Whether a pass does without a tensor.
bool is_idle(std::string_view name) {
  bool found = name.find(pooler) != std::string_view::npos;
  for (const std::string_view ends : {buffers, idle_parts})
    for_each_word(ends, [&](std::string_view end) { found = found || name.ends_with(end); });
  for_each_word(other_heads,
                [&](std::string_view head) { found = found || name.starts_with(head); });
  return found;
}

}  // namespace

TensorFinder::TensorFinder(const TensorStore& store, const TensorNames& names) : store_(store) {
  for_each_word(names.prefixes, [&](std::string_view one) { prefixes_.emplace_back(one); });
  prefixes_.emplace_back();
}

PlacedTensor TensorFinder::find(std::string_view names, std::string_view suffix) const {
  PlacedTensor found;
  for_each_word(names, [&](std::string_view name) {
    for (const std::string& prefix : prefixes_)
      for (const std::string_view end : {suffix, std::string_view{}}) {
        if (found || (end.empty() && suffix != of_weights && !suffix.empty())) continue;
        std::string full = fmt::format("{}{}{}", prefix, name, end);
        if (const StoredTensor* tensor = store_.find(full)) found = {std::move(full), tensor};
      }
  });
  return found;
}

void TensorFinder::refuse_missing(std::string_view names, std::string_view suffix) const {
  const std::string_view first = names.substr(0, names.find(' '));
  throw DataError(store_.name(), fmt::format("has no tensor {}{}", first, suffix),
                  "check that config and weights are of the same model and complete");
}

std::vector<std::string> unread_tensors(const TensorStore& store,
                                        const std::vector<const Places*>& places) {
  std::set<std::string, std::less<>> read;
  for (const Places* stack : places)
    for_each_tensor(*stack, [&](const PlacedTensor& placed) { read.insert(placed.name); });
  std::vector<std::string> unread;
  for (const auto& [name, tensor] : store.tensors())
    if (read.count(name) == 0 && !is_idle(name)) unread.push_back(name);
  return unread;
}

}  // namespace orrery
