#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/checkpoints/places.h"

namespace orrery {
namespace {

Index rows_of(const PlacedTensor& placed) {
  return static_cast<Index>(placed.tensor->shape.front());
}

/// Which outputs of a fused matrix are the queries, the keys and the values.
struct QkvRanges {
  std::vector<PlacedLinear::Rows> q{}, k{}, v{};
};

QkvRanges qkv_ranges(QkvLayout layout, Index heads, Index kv_heads, Index d_head) {
  if (layout != QkvLayout::grouped)
    return {.q = {{0, heads * d_head}},
            .k = {{heads * d_head, kv_heads * d_head}},
            .v = {{(heads + kv_heads) * d_head, kv_heads * d_head}}};
  QkvRanges ranges;
  const Index each = heads / kv_heads, group = (each + 2) * d_head;
  for (Index g = 0; g < kv_heads; ++g) {
    ranges.q.push_back({g * group, each * d_head});
    ranges.k.push_back({g * group + each * d_head, d_head});
    ranges.v.push_back({g * group + (each + 1) * d_head, d_head});
  }
  return ranges;
}

/// Finds the weights of a stack, layer by layer. Each has the shape that the design expects.
class Placing : private TensorFinder {
 public:
  Placing(const TensorStore& store, const TensorNames& names, const std::vector<LayerPlan>& plan,
          ModelKeys& keys)
      : TensorFinder(store, names),
        names_(names),
        plan_(plan),
        keys_(keys),
        design_(keys.design),
        d_model_{keys.d_model, "d_model"},
        d_embedding_{keys.d_embedding, "d_embedding"},
        vocabulary_{keys.vocabulary, "vocabulary"},
        d_inner_{keys.d_inner, "d_inner"},
        heads_{design_.attention.heads, "heads"},
        d_head_{design_.attention.d_head, "d_head"},
        transposed_(names.transposed == Transposed::layers) {}

  Places run() {
    if (d_head_.size == 0)
      throw DataError(store().name(), "has heads of a width that no key says",
                      "give the files of a whole model");
    place_embedding();
    for (std::size_t layer = 0; layer < design_.layers.size(); ++layer)
      place_layer(static_cast<int>(layer));
    if (design_.final_norm) places_.final_norm = norm(names_.final_norm, d_model_);
    place_head();
    return std::move(places_);
  }

 private:
  // ---- Linear layers and norms -----------------------------------------------------------------

  /// A dimension of 0 is the file's.
  PlacedLinear linear(std::string_view names, Dimension out, Dimension in, Presence bias,
                      bool transposed = false) const {
    PlacedLinear placed{.W = need(names, of_weights, transposed ? Shape{in, out} : Shape{out, in}),
                        .transposed = transposed};
    const auto& shape = placed.W.tensor->shape;
    placed.out = static_cast<Index>(shape[transposed ? 1 : 0]);
    placed.in = static_cast<Index>(shape[transposed ? 0 : 1]);
    placed.b = find(names, of_biases, {{placed.out, out.name}}, bias);
    return placed;
  }

  bool has(std::string_view names) const { return static_cast<bool>(find(names, of_weights)); }

  /// From d_model to so many heads; 0: to as many as the file has.
  PlacedLinear to_heads(std::string_view names, Index heads, Presence bias) const {
    const Dimension channels{heads * d_head_.size, "heads · d_head"};
    if (names_.transposed != Transposed::queries_keys_values)
      return linear(names, channels, d_model_, bias, transposed_);
    return {.W = need(names, of_weights, {d_model_, {heads, heads_.name}, d_head_}),
            .transposed = true,
            .in = d_model_.size,
            .out = channels.size};
  }

  PlacedLinear from_heads(std::string_view names, Presence bias) const {
    const Dimension channels{heads_.size * d_head_.size, "heads · d_head"};
    if (names_.transposed != Transposed::queries_keys_values)
      return linear(names, d_model_, channels, bias, transposed_);
    return {.W = need(names, of_weights, {d_model_, heads_, d_head_}),
            .in = channels.size,
            .out = d_model_.size};
  }

  PlacedNorm norm(std::string_view names, Dimension width) const {
    PlacedNorm found{.gain = find(names, of_weights, {width})};
    if (!found.gain) found.gain = find(names, ".gamma", {width});
    if (!found.gain) refuse_missing(names, of_weights);
    if (keys_.has.norm_bias == Presence::none) return found;
    found.bias = find(names, of_biases, {width});
    if (!found.bias) found.bias = find(names, ".beta", {width}, keys_.has.norm_bias);
    return found;
  }

  // ---- The embedding ---------------------------------------------------------------------------

  void place_embedding() {
    const bool narrow = !names_.projection.empty() || !names_.token_parts.empty();
    if (!narrow || d_embedding_.size == 0) d_embedding_.size = d_model_.size;
    place_parts();
    if (places_.parts.empty()) {
      places_.tokens = need(names_.tokens, of_weights, {vocabulary_, d_embedding_});
      vocabulary_.size = rows_of(places_.tokens);
    }
    places_.positions = find(names_.positions, of_weights,
                             {{keys_.positions, "positions"}, d_embedding_}, keys_.has.positions);
    if (places_.positions && keys_.pad && rows_of(places_.positions) <= *keys_.pad + 1)
      refuse_shape(places_.positions,
                   fmt::format("more than {} rows (pad_token_id + 1)", *keys_.pad + 1));
    places_.segments = find(names_.segments, of_weights,
                            {{keys_.segments, "segments"}, d_embedding_}, keys_.has.segments);
    if (design_.embedding_norm == EmbeddingNorm::before_projection)
      places_.embedding_norm = norm(names_.embedding_norm, d_embedding_);
    if (places_.parts.empty() && d_embedding_.size != d_model_.size)
      places_.projection =
          linear(names_.projection, d_model_, d_embedding_, keys_.has.projection_bias);
    if (design_.embedding_norm == EmbeddingNorm::behind_projection)
      places_.embedding_norm = norm(names_.embedding_norm, d_model_);
    if (plan_.front().encoding == "rope")
      places_.rotations = find(names_.rotations, of_weights, {{0, "positions"}, d_head_});
    place_relative_table();
  }

  /// Of a table in one part that no projection follows, there are no parts.
  void place_parts() {
    if (names_.token_parts.empty()) return;
    const auto part_name = [&](int part) { return numbered(names_.token_parts, part); };
    const auto projection_name = [&](int part) { return numbered(names_.part_projections, part); };
    if (!has(part_name(1)) && !find(projection_name(0), "")) return;
    Index tokens = 0;
    int i = 0;
    do {
      const Dimension width{i == 0 ? d_embedding_.size : 0, "d_embedding of the part"};
      Places::Part part{.table =
                            need(part_name(i), of_weights, {{0, "tokens of the part"}, width})};
      const auto channels = static_cast<Index>(part.table.tensor->shape[1]);
      part.projection = need(projection_name(i), "", {d_model_, {channels, width.name}});
      tokens += rows_of(part.table);
      places_.parts.push_back(std::move(part));
    } while (has(part_name(++i)));
    places_.tokens = places_.parts.front().table;
    if (vocabulary_.size > 0 && tokens != vocabulary_.size)
      refuse(places_.tokens,
             fmt::format("and the parts behind it hold {} tokens, not {} (vocabulary)", tokens,
                         vocabulary_.size),
             "check that config and weights are of the same model");
  }

  /// What all layers share: T5's biases [buckets, heads], DeBERTa's vectors [2·span, d_model].
  void place_relative_table() {
    const LayerPlan& first = plan_.front();
    const auto size = [&](const char* key, std::int64_t usual) {
      return param_or(first, key, usual);
    };
    if (first.encoding == "t5")
      places_.relative_table =
          need(names_.relative_table, of_weights, {{size("t5.buckets", 32), "buckets"}, heads_});
    if (first.encoding == "shaw")
      distances_.size = size("shaw.clip", 16) + size("shaw.clip_ahead", size("shaw.clip", 16)) + 1;
    if (first.encoding != "deberta") return;
    places_.relative_table = need(names_.relative_table, of_weights,
                                  {{2 * size("deberta.span", 512), "2 · span"}, d_model_});
    if (find_param(first, "deberta.norm"))
      places_.relative_norm = norm(names_.relative_norm, d_model_);
  }

  // ---- Layers ----------------------------------------------------------------------------------

  void place_layer(int number) {
    prefix_ = numbered(names_.layer, number);
    PlacedLayer layer;
    place_norms(layer, number);
    place_attention(layer.attention);
    place_relative(layer.relative);
    place_feed_forward(layer);
    if (design_.layers[static_cast<std::size_t>(number)].convolution) place_convolution(layer);
    if (design_.reads_memory) {
      layer.before_memory = norm(in_layer(names_.before_memory), d_model_);
      layer.memory = {.q = to_heads(in_layer(names_.memory_q), heads_.size, Presence::none),
                      .k = to_heads(in_layer(names_.memory_k), heads_.size, Presence::none),
                      .v = to_heads(in_layer(names_.memory_v), heads_.size, Presence::none),
                      .o = from_heads(in_layer(names_.memory_o), Presence::none)};
    }
    layer.attention.o.adds_b = layer.down.adds_b = keys_.adds_output_biases;
    if (!places_.layers.empty())
      require_like(places_.layers.front(), numbered(names_.layer, 0), layer, prefix_, number,
                   !design_.layers.front().attention_norm);
    places_.layers.push_back(std::move(layer));
    prefix_.clear();
  }

  void place_norms(PlacedLayer& layer, int number) {
    const NormPlace place = design_.norm_place;
    const bool after =
        place == NormPlace::after || place == NormPlace::inside || place == NormPlace::around;
    const bool before = !after || place == NormPlace::around;
    const auto placed = [&](bool wanted, std::string_view names) {
      return wanted ? norm(in_layer(names), d_model_) : PlacedNorm{};
    };
    layer.before_attention =
        placed(before && design_.layers[static_cast<std::size_t>(number)].attention_norm,
               names_.before_attention);
    layer.after_attention = placed(after, names_.after_attention);
    layer.before_feed_forward =
        placed(before && design_.order != BlockOrder::parallel_shared, names_.before_feed_forward);
    layer.after_feed_forward = placed(after, names_.after_feed_forward);
    // Of GGUFs, Falcon's alone name the norm in front of both halves for that of the second.
    const PlacedTensor& gain = layer.before_feed_forward.gain;
    if (gain && gain.tensor == layer.before_attention.gain.tensor)
      refuse_missing(in_layer(names_.before_feed_forward), of_weights);
  }

  void place_attention(PlacedAttention& attention) {
    attention.o = from_heads(in_layer(names_.o), keys_.has.output_bias);
    if (has(in_layer(names_.qkv)))
      cut(attention);
    else
      separate(attention);
    const QkNormSpan over = design_.attention.qk_norm.over;
    if (over == QkNormSpan::none) return;
    const auto width = [&](Index channels) {
      return over == QkNormSpan::head ? d_head_ : Dimension{channels, "heads · d_head"};
    };
    attention.q_norm = norm(in_layer(names_.q_norm), width(attention.q.out));
    attention.k_norm = norm(in_layer(names_.k_norm), width(attention.k.out));
  }

  void separate(PlacedAttention& attention) {
    if (names_.transposed == Transposed::queries_keys_values)
      design_.attention.kv_heads = heads_.size;
    attention.q = to_heads(in_layer(names_.q), heads_.size, keys_.has.attention_bias);
    attention.k = to_heads(in_layer(names_.k), kv_heads(), keys_.has.attention_bias);
    if (kv_heads() == 0) set_kv_heads(attention.k.W, attention.k.out, 0, 1);
    attention.v = to_heads(in_layer(names_.v), kv_heads(), keys_.has.attention_bias);
  }

  /// Cuts W_q, W_k and W_v out of one matrix.
  void cut(PlacedAttention& attention) {
    const Index heads = heads_.size, d_head = d_head_.size;
    const Dimension all{kv_heads() == 0 ? 0 : (heads + 2 * kv_heads()) * d_head,
                        "(heads + 2 kv_heads) · d_head"};
    const PlacedLinear fused =
        linear(in_layer(names_.qkv), all, d_model_, keys_.has.attention_bias, transposed_);
    if (kv_heads() == 0) set_kv_heads(fused.W, fused.out, heads * d_head, 2);
    QkvRanges ranges = qkv_ranges(names_.layout, heads, kv_heads(), d_head);
    attention.q = attention.k = attention.v = fused;
    attention.q.outputs = std::move(ranges.q);
    attention.k.outputs = std::move(ranges.k);
    attention.v.outputs = std::move(ranges.v);
    attention.q.out = heads * d_head;
    attention.k.out = attention.v.out = kv_heads() * d_head;
    if (names_.q_bias.empty()) return;
    own_bias(names_.q_bias, attention.q);
    own_bias(names_.v_bias, attention.v);
  }

  void own_bias(std::string_view name, PlacedLinear& part) {
    part.b = need(in_layer(name), "", {{part.out, "heads · d_head"}});
    part.biases = {{0, part.out}};
  }

  Index kv_heads() const { return design_.attention.kv_heads; }

  /// As many as are left of a tensor's outputs, each as often as it says.
  void set_kv_heads(const PlacedTensor& placed, Index outputs, Index others, Index times) {
    const Index each = times * d_head_.size;
    const Index count = (outputs - others) / each;
    if (outputs <= others || (outputs - others) % each != 0 || heads_.size % count != 0)
      refuse_shape(placed, fmt::format("of {} query heads of {} channels over fewer of keys",
                                       heads_.size, d_head_.size));
    design_.attention.kv_heads = count;
  }

  void place_relative(PlacedPositions& relative) {
    const std::string& encoding = plan_.front().encoding;
    if (encoding == "shaw")
      relative.table = need(in_layer(names_.layer_table), of_weights, {distances_, d_head_});
    if (encoding == "deberta") place_deberta(relative);
    if (encoding != "transformer_xl") return;
    relative.key = to_heads(in_layer(names_.relative_key), heads_.size, Presence::none);
    relative.content_bias = shared(names_.content_bias, names_.shared_content_bias);
    relative.position_bias = shared(names_.position_bias, names_.shared_position_bias);
    if (names_.segment_table.empty()) return;
    relative.segment_bias = need(in_layer(names_.segment_bias), "", {heads_, d_head_});
    relative.segment_table =
        need(in_layer(names_.segment_table), "", {{2, "same or other"}, heads_, d_head_});
  }

  PlacedTensor shared(std::string_view own, std::string_view of_all) const {
    const bool is_own = of_all.empty() || find(in_layer(own), "");
    return need(is_own ? in_layer(own) : std::string(of_all), "", {heads_, d_head_});
  }

  /// The query's projection for p2c, the key's for c2p.
  void place_deberta(PlacedPositions& relative) {
    const auto terms = param_or<std::string>(plan_.front(), "deberta.terms", "both");
    const auto placed = [&](std::string_view names, Presence bias) {
      std::string own = in_layer(names.substr(0, names.find(' ')));
      const std::size_t space = names.find(' ');
      if (keys_.shares_attention && space != std::string_view::npos)
        own = in_layer(names.substr(space + 1));
      return to_heads(own, heads_.size, bias);
    };
    if (terms != "c2p") relative.query = placed(names_.relative_query, Presence::needed);
    if (terms != "p2c")
      relative.key = placed(names_.relative_key,
                            keys_.shares_attention ? Presence::needed : keys_.has.key_bias);
  }

  void place_feed_forward(PlacedLayer& layer) {
    const Presence bias = keys_.has.inner_bias;
    // GGUF has Phi-3's gate and up in the tensor that elsewhere is up alone.
    const bool gated = design_.feed_forward.gated, fused = has(in_layer(names_.gate_up));
    const bool stacked = gated && (fused || !has(in_layer(names_.gate)));
    layer.down = linear(in_layer(names_.down), d_model_, d_inner_, bias, transposed_);
    d_inner_.size = layer.down.in;
    if (!stacked) {
      layer.up = linear(in_layer(names_.up), d_inner_, d_model_, bias, transposed_);
      if (gated) layer.gate = linear(in_layer(names_.gate), d_inner_, d_model_, bias, transposed_);
      return;
    }
    const Index width = d_inner_.size;
    layer.gate = layer.up = linear(in_layer(fused ? names_.gate_up : names_.up),
                                   {2 * width, "2 d_inner"}, d_model_, bias, transposed_);
    layer.gate.outputs = {{0, width}};
    layer.up.outputs = {{width, width}};
    layer.gate.out = layer.up.out = width;
  }

  void place_convolution(PlacedLayer& layer) {
    layer.convolution = need(names_.convolution, of_weights,
                             {d_model_,
                              {d_model_.size / keys_.convolution_groups, "d_model of a group"},
                              {keys_.convolution_taps, "taps"}});
    layer.convolution_bias = need(names_.convolution, of_biases, {d_model_});
    layer.convolution_norm = norm(names_.convolution_norm, d_model_);
  }

  // ---- The head --------------------------------------------------------------------------------

  void place_head() {
    if (!places_.parts.empty()) return;  // an adaptive softmax, which has no logits of all tokens
    const bool transforms = design_.head_transform.has_value();
    if (transforms && !has(names_.transform)) return;  // a whole, or none
    if (transforms) {
      places_.transform =
          linear(names_.transform, d_embedding_, d_model_, keys_.has.transform_bias);
      places_.transform_norm = norm(names_.transform_norm, d_embedding_);
    }
    const Dimension& in = transforms ? d_embedding_ : d_model_;
    PlacedLinear& head = places_.vocabulary;
    head.W = find(names_.vocabulary, of_weights, {vocabulary_, in});
    // A tied head stores its bias alone; where it has none, the model has no head.
    const bool bias_tells = keys_.has.head_bias == Presence::needed && !transforms;
    const bool may_be_tied = keys_.tied && !names_.vocabulary.empty() &&
                             in.size == d_embedding_.size &&
                             (!bias_tells || find(names_.vocabulary, of_biases));
    if (!head.W && may_be_tied) head.W = places_.tokens;
    if (!head.W) return;
    head.out = vocabulary_.size;
    head.in = in.size;
    if (keys_.has.head_bias == Presence::none) return;
    head.b = find(names_.vocabulary, of_biases, {vocabulary_});
    if (!head.b)
      head.b = find(names_.vocabulary_bias, "", {vocabulary_},
                    names_.vocabulary_bias.empty() ? Presence::as_stored : keys_.has.head_bias);
    if (!head.b && keys_.has.head_bias == Presence::needed)
      refuse_missing(names_.vocabulary, of_biases);
  }

  std::string in_layer(std::string_view names) const {
    std::string all;
    for_each_word(names, [&](std::string_view name) {
      all += fmt::format("{}{}{}", all.empty() ? "" : " ", prefix_, name);
    });
    return all;
  }

  const TensorNames& names_;
  const std::vector<LayerPlan>& plan_;
  const ModelKeys& keys_;
  TransformerDesign& design_;
  Dimension d_model_, d_embedding_, vocabulary_, d_inner_, heads_, d_head_;
  Dimension distances_{0, "distances"};
  bool transposed_;  ///< matrices of layers are [in, out]
  std::string prefix_{};
  Places places_{};
};

}  // namespace

Places find_places(const TensorStore& store, const TensorNames& names,
                   const std::vector<LayerPlan>& plan, ModelKeys& keys) {
  return Placing(store, names, plan, keys).run();
}

}  // namespace orrery
