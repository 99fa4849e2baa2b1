#include "core/training/model_weights.h"

#include <cmath>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/random.h"

namespace orrery {
namespace {

bool adds_to_input(const EncodingRecipe& recipe) {
  return find_encoding(recipe.name).uses(Door::input_term);
}

// ---- Order of the weights ----------------------------------------------------------------------

template <class T>
class Lister {
 public:
  void add(const std::string& name, Matrix<T>& values, bool decays, bool is_vector = false) {
    if (values.size() > 0) list_.push_back({name, &values, decays, is_vector});
  }
  void add(const std::string& name, LinearWeights<T>& w) {
    add(name + ".weight", w.W, true);
    add(name + ".bias", w.b, false, true);
  }
  void add(const std::string& name, NormWeights<T>& w) {
    add(name + ".weight", w.gain, false, true);
    add(name + ".bias", w.bias, false, true);
  }
  void add(const std::string& name, AttentionWeights<T>& w) {
    add(name + ".q", w.q);
    add(name + ".k", w.k);
    add(name + ".v", w.v);
    add(name + ".o", w.o);
    add(name + ".q_norm", w.q_norm);
    add(name + ".k_norm", w.k_norm);
  }
  void add(const std::string& name, LayerWeights<T>& w) {
    add(name + ".before_attention", w.before_attention);
    add(name + ".attention", w.attention);
    add(name + ".after_attention", w.after_attention);
    add(name + ".before_feed_forward", w.before_feed_forward);
    add(name + ".gate", w.feed_forward.gate);
    add(name + ".up", w.feed_forward.up);
    add(name + ".down", w.feed_forward.down);
    add(name + ".after_feed_forward", w.after_feed_forward);
  }
  void add(const std::string& name, typename ModelWeights<T>::OwnTables& tables) {
    for (auto& [table, values] : tables) add(name + "." + table, values, false);
  }

  std::vector<NamedWeight<T>> list() && { return std::move(list_); }

 private:
  std::vector<NamedWeight<T>> list_{};
};

// ---- Before the first step ---------------------------------------------------------------------

template <class T>
class Starter {
 public:
  Starter(const TransformerDesign& design, const ModelSizes& sizes, std::int64_t seed)
      : design_(design), sizes_(sizes), random_(seed, "weights of a model") {}

  LinearWeights<T> linear(Index out, Index in, double gain = 1) {
    LinearWeights<T> w{
        normal_matrix<T>(random_, out, in, gain / std::sqrt(static_cast<double>(in)))};
    if (sizes_.biases) w.b = Matrix<T>::Zero(1, out);
    return w;
  }

  NormWeights<T> norm(Index d) const {
    NormWeights<T> w{Matrix<T>::Constant(1, d, static_cast<T>(1 - design_.norm.added))};
    if (sizes_.norm_biases) w.bias = Matrix<T>::Zero(1, d);
    return w;
  }

  NormWeights<T> qk_norm(Index heads) const {
    const QkNormDesign& qk = design_.attention.qk_norm;
    if (qk.over == QkNormSpan::none) return {};
    const Index d = design_.attention.d_head;
    return {Matrix<T>::Constant(1, qk.over == QkNormSpan::layer ? heads * d : d,
                                static_cast<T>(1 - qk.norm.added))};
  }

  AttentionWeights<T> attention() {
    const AttentionDesign& a = design_.attention;
    const Index d = sizes_.d_model;
    AttentionWeights<T> w;
    w.q = linear(a.heads * a.d_head, d);
    w.k = linear(a.kv_heads * a.d_head, d);
    w.v = linear(a.kv_heads * a.d_value, d);
    w.o = linear(d, a.heads * a.d_value, residual_gain());
    w.q_norm = qk_norm(a.heads);
    w.k_norm = qk_norm(a.kv_heads);
    return w;
  }

  LayerWeights<T> layer(const LayerDesign& layer) {
    const Index d = sizes_.d_model;
    const NormPlace place = design_.norm_place;
    const bool before = place != NormPlace::after && place != NormPlace::inside;
    const bool after = place != NormPlace::before && place != NormPlace::through;
    LayerWeights<T> w;
    if (before && layer.attention_norm) w.before_attention = norm(d);
    w.attention = attention();
    if (after) w.after_attention = norm(d);
    if (before && design_.order != BlockOrder::parallel_shared) w.before_feed_forward = norm(d);
    if (design_.feed_forward.gated) w.feed_forward.gate = linear(sizes_.d_feed_forward, d);
    w.feed_forward.up = linear(sizes_.d_feed_forward, d);
    w.feed_forward.down = linear(d, sizes_.d_feed_forward, residual_gain());
    if (after) w.after_feed_forward = norm(d);
    return w;
  }

  Matrix<T> tokens() {
    return normal_matrix<T>(random_, sizes_.vocabulary, sizes_.d_model, sizes_.token_deviation);
  }

 private:
  double residual_gain() const {
    return 1 / std::sqrt(2.0 * static_cast<double>(design_.layers.size()));
  }

  const TransformerDesign& design_;
  const ModelSizes& sizes_;
  Random random_;
};

template <class T>
typename ModelWeights<T>::OwnTables cast_tables(const Tables& tables) {
  typename ModelWeights<T>::OwnTables cast;
  for (const auto& [name, values] : tables) cast[name] = values.template cast<T>();
  return cast;
}

template <class T>
Tables uncast_tables(const typename ModelWeights<T>::OwnTables& tables) {
  Tables uncast;
  for (const auto& [name, values] : tables) uncast[name] = values.template cast<double>();
  return uncast;
}

}  // namespace

template <class T>
std::shared_ptr<const Encoding> EncodingRecipe::make(const Tables& tables, std::int64_t seed,
                                                     Tables* made) const {
  const EncodingSettings settings{.d_model = d_model,
                                  .d_head = d_head,
                                  .heads = heads,
                                  .params = params,
                                  .seed = seed,
                                  .tables = &tables,
                                  .made = made};
  return make_encoding<T>(name, settings);
}

template <class T>
std::vector<NamedWeight<T>> named_weights(ModelWeights<T>& weights) {
  Lister<T> lister;
  lister.add("tokens.weight", weights.tokens, true);
  lister.add("embedding.segments.weight", weights.embedding.segments, false);
  lister.add("embedding.norm", weights.embedding.norm);
  lister.add("embedding.projection", weights.embedding.projection);
  lister.add("embedding.position", weights.input_tables);
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    const std::string layer = "layers." + std::to_string(l);
    lister.add(layer, weights.layers[l]);
    if (l < weights.layer_tables.size()) lister.add(layer + ".position", weights.layer_tables[l]);
  }
  lister.add("head.norm", weights.head.norm);
  lister.add("head.transform", weights.head.transform);
  lister.add("head.transform_norm", weights.head.transform_norm);
  lister.add("vocabulary", weights.vocabulary);
  return std::move(lister).list();
}

template <class T>
ModelWeights<T> zeros_like(const ModelWeights<T>& weights) {
  ModelWeights<T> zeros = weights;
  for (const NamedWeight<T>& weight : named_weights(zeros)) weight.values->setZero();
  return zeros;
}

template <class T>
double content_scale(const SoftmaxDoors<T>& doors, const LayerDesign& layer, Index d_head) {
  if (layer.scale) return *layer.scale;
  if (!doors.score_terms || !doors.score_terms->is_bias())
    return 1 / std::sqrt(static_cast<double>(d_head));
  Matrix<T> unit = Matrix<T>::Zero(1, d_head);
  unit(0, 0) = 1;
  const Positions first{0};
  const std::vector<ScoreTerm<T>> terms =
      doors.score_terms->score_terms({.q = unit, .k = unit, .m = first, .n = first});
  return static_cast<double>(terms.front().logits(0, 0));
}

namespace {

/// T5 does not divide its logits by √d_head, and starts W_q that much smaller instead.
template <class T>
void scale_queries(const TransformerDesign& design, const ModelEncodings& encodings,
                   ModelWeights<T>& weights) {
  const Index d_head = design.attention.d_head;
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    if (!encodings.layers[l]) continue;
    const double scale =
        content_scale<T>(SoftmaxDoors<T>::of(*encodings.layers[l]), design.layers[l], d_head);
    const double larger = scale * std::sqrt(static_cast<double>(d_head));
    if (larger > 1) weights.layers[l].attention.q.W /= static_cast<T>(larger);
  }
}

}  // namespace

template <class T>
ModelWeights<T> initial_weights(const TransformerDesign& design, const ModelSizes& sizes,
                                const EncodingRecipe& recipe, std::int64_t seed) {
  Starter<T> starter(design, sizes, seed);
  ModelWeights<T> weights;
  weights.tokens = starter.tokens();
  if (design.embedding_norm != EmbeddingNorm::none)
    weights.embedding.norm = starter.norm(sizes.d_model);
  for (const LayerDesign& layer : design.layers) weights.layers.push_back(starter.layer(layer));
  if (design.final_norm) weights.head.norm = starter.norm(sizes.d_model);
  if (design.head_transform) {
    weights.head.transform = starter.linear(sizes.d_model, sizes.d_model);
    weights.head.transform_norm = starter.norm(sizes.d_model);
  }
  if (!sizes.tied) weights.vocabulary.W = starter.linear(sizes.vocabulary, sizes.d_model).W;
  if (sizes.vocabulary_biases) weights.vocabulary.b = Matrix<T>::Zero(1, sizes.vocabulary);
  Tables made;
  if (adds_to_input(recipe)) {
    recipe.make<T>({}, seed, &made);
    weights.input_tables = cast_tables<T>(made);
    // BERT starts positions and tokens alike.
    for (auto& [name, values] : weights.input_tables)
      values *= static_cast<T>(sizes.token_deviation / initial_deviation);
    return weights;
  }
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    // Seeds of layers lie apart, so that those of neighbouring seeds do not meet.
    recipe.make<T>({}, seed + static_cast<std::int64_t>(l) * 1'000'003, &made);
    weights.layer_tables.push_back(cast_tables<T>(made));
  }
  scale_queries(design, encodings_of(recipe, weights), weights);
  return weights;
}

template <class T>
ModelEncodings encodings_of(const EncodingRecipe& recipe, const ModelWeights<T>& weights) {
  ModelEncodings encodings;
  if (adds_to_input(recipe)) {
    encodings.input = recipe.make<T>(uncast_tables<T>(weights.input_tables));
    encodings.layers.resize(weights.layers.size());
    return encodings;
  }
  for (const auto& tables : weights.layer_tables) {
    // Without tables it is the same in every layer and after every step.
    const bool again = tables.empty() && !encodings.layers.empty();
    encodings.layers.push_back(again ? encodings.layers.front()
                                     : recipe.make<T>(uncast_tables<T>(tables)));
  }
  return encodings;
}

#define ORRERY_INSTANTIATE(T)                                                                   \
  template std::shared_ptr<const Encoding> EncodingRecipe::make<T>(const Tables&, std::int64_t, \
                                                                   Tables*) const;              \
  template std::vector<NamedWeight<T>> named_weights(ModelWeights<T>&);                         \
  template ModelWeights<T> zeros_like(const ModelWeights<T>&);                                  \
  template ModelWeights<T> initial_weights(const TransformerDesign&, const ModelSizes&,         \
                                           const EncodingRecipe&, std::int64_t);                \
  template ModelEncodings encodings_of(const EncodingRecipe&, const ModelWeights<T>&)

template double content_scale(const SoftmaxDoors<float>&, const LayerDesign&, Index);
template double content_scale(const SoftmaxDoors<double>&, const LayerDesign&, Index);
ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
