#include "experiments/checkpoints/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

bool is_of(const std::vector<std::uint64_t>& shape, const TensorFinder::Shape& expected) {
  return std::equal(shape.begin(), shape.end(), expected.begin(), expected.end(),
                    [](std::uint64_t size, const TensorFinder::Dimension& d) {
                      return size != 0 &&
                             (d.size == 0 || size == static_cast<std::uint64_t>(d.size));
                    });
}

/// "[96, any] (vocabulary, d_model)".
std::string text_of(const TensorFinder::Shape& shape) {
  std::vector<std::string> sizes;
  std::vector<std::string_view> names;
  for (const TensorFinder::Dimension& d : shape) {
    sizes.push_back(d.size == 0 ? "any" : std::to_string(d.size));
    names.push_back(d.name);
  }
  return fmt::format("[{}] ({})", fmt::join(sizes, ", "), fmt::join(names, ", "));
}

/// The name behind that of the layer; empty where the tensor is no layer's, or is not there.
std::string name_behind(const std::string& layer, const PlacedTensor& placed) {
  const std::size_t at = placed.name.find(layer);
  return at == std::string::npos ? std::string() : placed.name.substr(at + layer.size());
}

}  // namespace

std::string numbered(std::string_view name, int number) {
  const std::size_t at = name.find("{}");
  return fmt::format("{}{}{}", name.substr(0, at), number, name.substr(at + 2));
}

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

PlacedTensor TensorFinder::find(std::string_view names, std::string_view suffix, const Shape& shape,
                                Presence presence) const {
  if (presence == Presence::none) return {};
  PlacedTensor found = find(names, suffix);
  if (!found && presence == Presence::needed) refuse_missing(names, suffix);
  if (!found) return found;
  if (!is_of(found.tensor->shape, shape)) refuse_shape(found, text_of(shape));
  if (!found.tensor->type)
    refuse(found, fmt::format("has type {}, which is not decoded", found.tensor->type_name),
           "save the weights as F32, F16 or BF16, or as a GGUF of Q8_0");
  return found;
}

void TensorFinder::refuse(const PlacedTensor& placed, const std::string& what,
                          const std::string& remedy) const {
  throw DataError(store_.label(placed.name), what, remedy);
}

void TensorFinder::refuse_shape(const PlacedTensor& placed, std::string_view expected) const {
  refuse(placed,
         fmt::format("has the shape [{}], not {}", fmt::join(placed.tensor->shape, ", "), expected),
         "check that config and weights are of the same model");
}

void TensorFinder::require_like(const PlacedLayer& first, const std::string& first_name,
                                const PlacedLayer& layer, const std::string& name, int number,
                                bool norm_may_differ) const {
  std::vector<std::string> names;
  for_each_tensor(
      first, [&](const PlacedTensor& placed) { names.push_back(name_behind(first_name, placed)); });
  const PlacedNorm& unlike = layer.before_attention;
  auto there = names.begin();
  for_each_tensor(layer, [&](const PlacedTensor& placed) {
    const std::string here = name_behind(name, placed);
    const std::string& other = *there++;
    if (here == other || (norm_may_differ && (&placed == &unlike.gain || &placed == &unlike.bias)))
      return;
    const bool lacks = !other.empty();
    throw DataError(
        store_.name(),
        fmt::format("has no tensor {}{}, and layer {} has one", lacks ? name : first_name,
                    lacks ? other : here, lacks ? 0 : number),
        "download the model again; if it is so there, it is damaged");
  });
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
