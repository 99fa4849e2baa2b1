#include "experiments/checkpoints/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/errors.h"

namespace orrery::checkpoints {
namespace {

constexpr std::string_view of_weights = ".weight";
constexpr std::string_view of_biases = ".bias";

/// How the names of buffers end that the code computes anew.
constexpr std::string_view buffers[] = {"rotary_emb.inv_freq",
                                        "pos_emb.inv_freq",
                                        "embed_positions.weight",
                                        "embeddings.position_embeddings.weight",
                                        "attn.bias",
                                        "attn.masked_bias",
                                        "attention.bias",
                                        "attention.masked_bias",
                                        "self_attention.masked_bias",
                                        "position_ids",
                                        "token_type_ids",
                                        "rope_freqs.weight",
                                        "rope_factors_long.weight",
                                        "rope_factors_short.weight"};
/// And of parts that no hidden state passes through: second copies, and what training alone reads.
constexpr std::string_view idle_parts[] = {
    "mask_emb", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
    "EncDecAttention.relative_attention_bias.weight", "cross_attn_rel_b.weight"};
/// How the names of heads begin that give no logits of the vocabulary, or second ones.
constexpr std::string_view other_heads[] = {"pooler.",
                                            "cls.seq_relationship.",
                                            "cls.predictions.bias",
                                            "cls.weight",
                                            "cls.bias",
                                            "cls.norm.",
                                            "cls.output.",
                                            "lm_head.",
                                            "embed_out.",
                                            "decoder.weight",
                                            "decoder.bias",
                                            "crit.",
                                            "lm_loss.",
                                            "mask_predictions.",
                                            "classifier.",
                                            "score.",
                                            "qa_outputs.",
                                            "sequence_summary."};
constexpr std::string_view pooler = ".pooler.";  // of BERT and its kin, behind their prefix

std::string layer_name(std::string_view layer, int number) {
  const std::size_t at = layer.find("{}");
  return fmt::format("{}{}{}", layer.substr(0, at), number, layer.substr(at + 2));
}

Index rows_of(const PlacedTensor& placed) {
  return static_cast<Index>(placed.tensor->shape.front());
}

/// The other dimensions together: XLNet's are [d_model, heads, d_head].
Index columns_of(const PlacedTensor& placed) {
  Index columns = 1;
  for (std::size_t i = 1; i < placed.tensor->shape.size(); ++i)
    columns *= static_cast<Index>(placed.tensor->shape[i]);
  return columns;
}

std::string shape_text(const PlacedTensor& placed) {
  return fmt::format("[{}]", fmt::join(placed.tensor->shape, ", "));
}

[[noreturn]] void refuse_shape(const PlacedTensor& placed, const std::string& expected) {
  throw DataError(placed.name,
                  fmt::format("has the shape {}, not {}", shape_text(placed), expected),
                  "check that config and weights are of the same model");
}

Index outputs_in(const std::vector<RowRange>& ranges) {
  Index all = 0;
  for (const RowRange& range : ranges) all += range.count;
  return all;
}

/// Finds the weights of a stack, layer by layer.
class Placing {
 public:
  Placing(const TensorStore& store, const TensorNames& names, TransformerDesign& design, bool tied)
      : finder_(store, names),
        names_(names),
        design_(design),
        d_head_(design.attention.d_head),
        tied_(tied) {}

  Places run() {
    place_embedding();
    for (std::size_t layer = 0; layer < design_.layers.size(); ++layer)
      place_layer(static_cast<int>(layer));
    if (design_.final_norm) places_.final_norm = norm(names_.final_norm, true);
    place_head();
    return std::move(places_);
  }

 private:
  void place_embedding() {
    places_.tokens = finder_.need(names_.tokens, of_weights);
    if (places_.tokens.tensor->shape.size() != 2) refuse_shape(places_.tokens, "a matrix");
    place_parts();
    places_.positions = finder_.find(names_.positions, of_weights);
    places_.segments = finder_.find(names_.segments, of_weights);
    if (design_.embedding_norm != EmbeddingNorm::none)
      places_.embedding_norm = norm(names_.embedding_norm, true);
    places_.projection = optional_linear(names_.projection);
    places_.relative_table = finder_.find(names_.relative_table, of_weights);
    places_.relative_norm = norm(names_.relative_norm, false);
  }

  void place_parts() {
    if (names_.token_parts.empty()) return;
    for (int i = 0;; ++i) {
      PlacedPart part{.table = finder_.find(layer_name(names_.token_parts, i), of_weights),
                      .projection = finder_.find(layer_name(names_.part_projections, i), "")};
      if (!part.table) break;
      places_.parts.push_back(std::move(part));
    }
    if (places_.parts.size() == 1 && !places_.parts.front().projection) places_.parts.clear();
    for (const PlacedPart& part : places_.parts) {
      if (!part.projection) finder_.need(part.table.name + "'s projection", "");
      if (part.table.tensor->shape.size() != 2 || part.projection.tensor->shape.size() != 2 ||
          part.table.tensor->shape[1] != part.projection.tensor->shape[1])
        refuse_shape(part.projection, "as many channels as " + part.table.name);
    }
  }

  void place_layer(int number) {
    prefix_ = layer_name(names_.layer, number);
    PlacedLayer layer;
    place_norms(layer, number);
    place_attention(layer.attention);
    place_relative(layer.relative);
    place_feed_forward(layer);
    if (design_.layers[static_cast<std::size_t>(number)].convolution) place_convolution(layer);
    if (!names_.memory_q.empty()) {
      layer.before_memory = norm(in_layer(names_.before_memory), true);
      layer.memory = {.q = linear(in_layer(names_.memory_q)),
                      .k = linear(in_layer(names_.memory_k)),
                      .v = linear(in_layer(names_.memory_v)),
                      .o = linear(in_layer(names_.memory_o))};
    }
    places_.layers.push_back(std::move(layer));
    prefix_.clear();
  }

  void place_norms(PlacedLayer& layer, int number) {
    const NormPlace place = design_.norm_place;
    const bool after =
        place == NormPlace::after || place == NormPlace::inside || place == NormPlace::around;
    const bool before = !after || place == NormPlace::around;
    if (design_.layers[static_cast<std::size_t>(number)].attention_norm)
      layer.before_attention = norm(in_layer(names_.before_attention), before);
    layer.after_attention = norm(in_layer(names_.after_attention), after);
    layer.before_feed_forward = norm(in_layer(names_.before_feed_forward),
                                     before && design_.order != BlockOrder::parallel_shared);
    layer.after_feed_forward = norm(in_layer(names_.after_feed_forward), after);
  }

  void place_attention(PlacedAttention& attention) {
    attention.o = linear(in_layer(names_.o));
    const PlacedTensor fused = finder_.find(in_layer(names_.qkv), of_weights);
    if (fused)
      cut(linear(in_layer(names_.qkv)), attention);
    else
      separate(attention);
    if (design_.attention.qk_norm.over == QkNormSpan::none) return;
    attention.q_norm = norm(in_layer(names_.q_norm), true);
    attention.k_norm = norm(in_layer(names_.k_norm), true);
  }

  void separate(PlacedAttention& attention) {
    attention.q = of_queries(in_layer(names_.q));
    attention.k = of_queries(in_layer(names_.k));
    attention.v = of_queries(in_layer(names_.v));
    set_heads(attention.q.W, heads_in(attention.q.W, attention.q.out),
              heads_in(attention.k.W, attention.k.out));
  }

  /// Cuts W_q, W_k and W_v out of one matrix.
  void cut(const PlacedLinear& fused, PlacedAttention& attention) {
    const Index heads = heads_in(attention.o.W, attention.o.in);
    const Index all = heads_in(fused.W, fused.out);
    if (all <= heads || (all - heads) % 2 != 0)
      refuse_shape(fused.W, fmt::format("queries, keys and values of {} heads", heads));
    const Index kv_heads = (all - heads) / 2;
    set_heads(fused.W, heads, kv_heads);
    PlacedLinear *const q = &attention.q, *const k = &attention.k, *const v = &attention.v;
    for (PlacedLinear* part : {q, k, v}) *part = fused;
    if (names_.layout == QkvLayout::grouped) {
      const Index each = heads / kv_heads, group = (each + 2) * d_head_;
      for (Index g = 0; g < kv_heads; ++g) {
        q->outputs.push_back({g * group, each * d_head_});
        k->outputs.push_back({g * group + each * d_head_, d_head_});
        v->outputs.push_back({g * group + (each + 1) * d_head_, d_head_});
      }
    } else {
      q->outputs = {{0, heads * d_head_}};
      k->outputs = {{heads * d_head_, kv_heads * d_head_}};
      v->outputs = {{(heads + kv_heads) * d_head_, kv_heads * d_head_}};
    }
    for (PlacedLinear* part : {q, k, v}) part->out = outputs_in(part->outputs);
    if (names_.q_bias.empty()) return;
    own_bias(names_.q_bias, *q);
    own_bias(names_.v_bias, *v);
  }

  void own_bias(std::string_view name, PlacedLinear& part) {
    part.b = finder_.need(in_layer(name), "");
    part.biases = {{0, part.out}};
  }

  Index heads_in(const PlacedTensor& placed, Index channels) const {
    if (d_head_ > 0 && channels % d_head_ == 0) return channels / d_head_;
    refuse_shape(placed, fmt::format("a multiple of {} channels, as a head has", d_head_));
  }

  void set_heads(const PlacedTensor& placed, Index heads, Index kv_heads) {
    AttentionDesign& a = design_.attention;
    if (a.kv_heads == 0) a.kv_heads = kv_heads;
    if (heads != a.heads || kv_heads != a.kv_heads || kv_heads == 0 || heads % kv_heads != 0)
      refuse_shape(placed, fmt::format("{} query heads over {} of keys, as the model has", a.heads,
                                       a.kv_heads));
  }

  void place_relative(PlacedPositions& relative) {
    relative.table = finder_.find(in_layer(names_.layer_table), of_weights);
    const bool by_heads = names_.transposed == Transposed::queries_keys_values;
    relative.query = optional_linear(in_layer(names_.relative_query));
    relative.key = optional_linear(in_layer(names_.relative_key), by_heads);
    relative.content_bias = finder_.find(in_layer(names_.content_bias), "");
    relative.position_bias = finder_.find(in_layer(names_.position_bias), "");
    if (!relative.content_bias)
      relative.content_bias = finder_.find(names_.shared_content_bias, "");
    if (!relative.position_bias)
      relative.position_bias = finder_.find(names_.shared_position_bias, "");
    relative.segment_bias = finder_.find(in_layer(names_.segment_bias), "");
    relative.segment_table = finder_.find(in_layer(names_.segment_table), "");
  }

  void place_feed_forward(PlacedLayer& layer) {
    const PlacedTensor fused = finder_.find(in_layer(names_.gate_up), of_weights);
    if (!fused) {
      layer.gate = optional_linear(in_layer(names_.gate), names_.transposed == Transposed::layers);
      layer.up = linear(in_layer(names_.up));
    }
    layer.down = linear(in_layer(names_.down));
    // GGUF has Phi-3's gate and up in the tensor that elsewhere is up alone.
    const bool stacked = !fused && design_.feed_forward.gated && !layer.gate.W;
    if (!fused && !stacked) return;
    const PlacedLinear both = fused ? linear(in_layer(names_.gate_up)) : layer.up;
    const Index width = layer.down.in;
    if (both.out != 2 * width) refuse_shape(both.W, fmt::format("two of {} rows", width));
    layer.gate = layer.up = both;
    layer.gate.outputs = {{0, width}};
    layer.up.outputs = {{width, width}};
    layer.gate.out = layer.up.out = width;
  }

  void place_convolution(PlacedLayer& layer) {
    layer.convolution = finder_.need(names_.convolution, of_weights);
    if (layer.convolution.tensor->shape.size() != 3)
      refuse_shape(layer.convolution, "[d, d, taps]");
    layer.convolution_bias = finder_.find(names_.convolution, of_biases);
    layer.convolution_norm = norm(names_.convolution_norm, true);
  }

  void place_head() {
    places_.transform = optional_linear(names_.transform);
    if (places_.transform.W) places_.transform_norm = norm(names_.transform_norm, true);
    if (design_.head_transform && !places_.transform.W) return;  // a whole, or none
    if (!places_.parts.empty()) return;  // an adaptive softmax, which has no logits of all tokens
    places_.vocabulary = optional_linear(names_.vocabulary);
    if (!places_.vocabulary.W && tied_ && !names_.vocabulary.empty())
      places_.vocabulary.W = places_.tokens;
    places_.vocabulary.b = finder_.find(names_.vocabulary, of_biases);
    if (!places_.vocabulary.b) places_.vocabulary.b = finder_.find(names_.vocabulary_bias, "");
    if (!places_.vocabulary.W) return;
    places_.vocabulary.out = rows_of(places_.vocabulary.W);
    places_.vocabulary.in = columns_of(places_.vocabulary.W);
    if (places_.vocabulary.out != rows_of(places_.tokens))
      refuse_shape(places_.vocabulary.W,
                   fmt::format("{} tokens, as the embedding has", rows_of(places_.tokens)));
    const PlacedTensor& b = places_.vocabulary.b;
    if (b &&
        b.tensor->shape != std::vector<std::uint64_t>{places_.vocabulary.W.tensor->shape.front()})
      refuse_shape(b, fmt::format("[{}]", places_.vocabulary.out));
  }

  // ---- Pieces ----------------------------------------------------------------------------------

  std::string in_layer(std::string_view names) const {
    std::string all;
    for_each_word(names, [&](std::string_view name) {
      all += fmt::format("{}{}{}", all.empty() ? "" : " ", prefix_, name);
    });
    return all;
  }

  PlacedNorm norm(std::string_view names, bool needed) const {
    PlacedNorm found{.gain = finder_.find(names, of_weights),
                     .bias = finder_.find(names, of_biases)};
    if (!found.gain) found.gain = finder_.find(names, ".gamma");
    if (!found.bias) found.bias = finder_.find(names, ".beta");
    if (!found.gain && needed) found.gain = finder_.need(names, of_weights);
    return found;
  }

  PlacedLinear linear(std::string_view names) const {
    return shaped(finder_.need(names, of_weights), names, names_.transposed == Transposed::layers);
  }

  PlacedLinear of_queries(std::string_view names) const {
    return shaped(finder_.need(names, of_weights), names, names_.transposed != Transposed::none);
  }

  PlacedLinear optional_linear(std::string_view names, bool transposed = false) const {
    const PlacedTensor W = finder_.find(names, of_weights);
    return W ? shaped(W, names, transposed) : PlacedLinear{};
  }

  PlacedLinear shaped(PlacedTensor W, std::string_view names, bool transposed) const {
    if (W.tensor->shape.size() < 2) refuse_shape(W, "a matrix");
    PlacedLinear placed{
        .W = std::move(W), .b = finder_.find(names, of_biases), .transposed = transposed};
    const Index rows = rows_of(placed.W), columns = columns_of(placed.W);
    placed.in = transposed ? rows : columns;
    placed.out = transposed ? columns : rows;
    if (placed.b && placed.b.tensor->shape !=
                        std::vector<std::uint64_t>{static_cast<std::uint64_t>(placed.out)})
      refuse_shape(placed.b, fmt::format("[{}]", placed.out));
    return placed;
  }

  const TensorFinder finder_;
  const TensorNames& names_;
  TransformerDesign& design_;
  Index d_head_;
  bool tied_;
  std::string prefix_{};
  Places places_{};
};

template <class Use>
void for_each_tensor(const PlacedLinear& linear, const Use& use) {
  use(linear.W);
  use(linear.b);
}
template <class Use>
void for_each_tensor(const PlacedNorm& norm, const Use& use) {
  use(norm.gain);
  use(norm.bias);
}
template <class Use>
void for_each_tensor(const PlacedAttention& attention, const Use& use) {
  for (const PlacedLinear* linear : {&attention.q, &attention.k, &attention.v, &attention.o})
    for_each_tensor(*linear, use);
  for_each_tensor(attention.q_norm, use);
  for_each_tensor(attention.k_norm, use);
}
template <class Use>
void for_each_tensor(const PlacedLayer& layer, const Use& use) {
  for (const PlacedNorm* norm :
       {&layer.before_attention, &layer.after_attention, &layer.before_memory,
        &layer.before_feed_forward, &layer.after_feed_forward})
    for_each_tensor(*norm, use);
  for_each_tensor(layer.attention, use);
  for_each_tensor(layer.memory, use);
  for_each_tensor(layer.relative.query, use);
  for_each_tensor(layer.relative.key, use);
  for (const PlacedTensor* tensor :
       {&layer.relative.table, &layer.relative.content_bias, &layer.relative.position_bias,
        &layer.relative.segment_bias, &layer.relative.segment_table})
    use(*tensor);
  for (const PlacedLinear* linear : {&layer.gate, &layer.up, &layer.down})
    for_each_tensor(*linear, use);
  use(layer.convolution);
  use(layer.convolution_bias);
  for_each_tensor(layer.convolution_norm, use);
}
template <class Use>
void for_each_tensor(const Places& places, const Use& use) {
  for (const PlacedTensor* tensor :
       {&places.tokens, &places.positions, &places.segments, &places.relative_table})
    use(*tensor);
  for (const PlacedNorm* norm :
       {&places.embedding_norm, &places.relative_norm, &places.final_norm, &places.transform_norm})
    for_each_tensor(*norm, use);
  for (const PlacedLinear* linear : {&places.projection, &places.transform, &places.vocabulary})
    for_each_tensor(*linear, use);
  for (const PlacedPart& part : places.parts) {
    use(part.table);
    use(part.projection);
  }
  for (const PlacedLayer& layer : places.layers) for_each_tensor(layer, use);
}

/// Whether a pass does without a tensor.
bool is_idle(std::string_view name) {
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  const auto begins = [&](std::string_view begin) { return name.starts_with(begin); };
  return std::any_of(std::begin(buffers), std::end(buffers), ends) ||
         std::any_of(std::begin(idle_parts), std::end(idle_parts), ends) ||
         std::any_of(std::begin(other_heads), std::end(other_heads), begins) ||
         name.find(pooler) != std::string_view::npos;
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

PlacedTensor TensorFinder::need(std::string_view names, std::string_view suffix) const {
  PlacedTensor found = find(names, suffix);
  if (found) return found;
  const std::string_view first = names.substr(0, names.find(' '));
  throw DataError(store_.name(), fmt::format("has no tensor {}{}", first, suffix),
                  "check that config and weights are of the same model and complete");
}

Places find_places(const TensorStore& store, const TensorNames& names, TransformerDesign& design,
                   bool tied) {
  return Placing(store, names, design, tied).run();
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

}  // namespace orrery::checkpoints
