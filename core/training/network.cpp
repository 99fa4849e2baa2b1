#include "core/training/network.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/attention/softcap.h"
#include "core/errors.h"
#include "core/training/linear_step.h"
#include "core/training/tile_product.h"

namespace orrery {

// ---- The plan ----------------------------------------------------------------------------------

namespace {

void check_trainable(const TransformerDesign& design) {
  const char* what = design.reads_memory ? "a decoder that reads an encoder's output" : nullptr;
  for (const LayerDesign& layer : design.layers)
    if (layer.convolution) what = "a layer with a convolution";
  if (what) throw UsageError(what, "has no derivative here", "train a model without it");
}

}  // namespace

template <class T>
ForwardPlan<T> forward_plan(const TrainedDesign<T>& design, const ModelEncodings& encodings,
                            Index length, Index sequences) {
  check_trainable(design.transformer);
  ForwardPlan<T> plan{.encodings = encodings, .length = length, .sequences = sequences};
  const LinearKernel<T>* linear = design.linear.features ? &design.linear : nullptr;
  for (std::size_t l = 0; l < design.transformer.layers.size(); ++l)
    plan.layers.push_back(attention_plan<T>(design.transformer, l, linear,
                                            plan.encodings.layers[l].get(), length, sequences));
  return plan;
}

// ---- Gradients ---------------------------------------------------------------------------------

template <class T>
Gradient<T> empty_gradient(const ModelWeights<T>& weights) {
  Gradient<T> gradient{.weights = zeros_like(weights)};
  gradient.layers.resize(weights.layers.size());
  return gradient;
}

namespace {

void add_tables(Tables& a, const Tables& b) {
  for (const auto& [name, values] : b) {
    Matrix<double>& sum = a[name];
    if (sum.size() == 0)
      sum = values;
    else
      sum += values;
  }
}

template <class T>
void join_tables(const Tables& from, typename ModelWeights<T>::OwnTables& to) {
  for (auto& [name, values] : to) {
    const auto found = from.find(name);
    if (found != from.end() && found->second.size() > 0) values += found->second.template cast<T>();
  }
}

/// What the summed ∂loss by maps without contents says of a layer's tables.
template <class T>
void pull_bias_back(const AttentionPlan<T>& plan, EncodingGradient<T>& gradient) {
  const Index n = static_cast<Index>(plan.positions.size()), d = plan.design.d_head;
  const Matrix<T> nothing = Matrix<T>::Zero(n, d);
  Matrix<T> d_q = nothing, d_k = nothing;
  for (std::size_t h = 0; h < gradient.bias.size(); ++h) {
    if (gradient.bias[h].size() == 0) continue;
    plan.doors.score_terms->add_score_gradients({.q = nothing,
                                                 .k = nothing,
                                                 .m = plan.positions,
                                                 .n = plan.positions,
                                                 .head = static_cast<int>(h)},
                                                gradient.bias[h],
                                                {.q = d_q, .k = d_k, .tables = gradient.tables});
  }
  gradient.bias.clear();
}

}  // namespace

template <class T>
void add_gradient(Gradient<T>& a, Gradient<T>& b) {
  const auto to = named_weights(a.weights), from = named_weights(b.weights);
  for (std::size_t i = 0; i < to.size(); ++i) *to[i].values += *from[i].values;
  add_tables(a.input_tables, b.input_tables);
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    add_tables(a.layers[l].tables, b.layers[l].tables);
    std::vector<Matrix<T>>&sums = a.layers[l].bias, &parts = b.layers[l].bias;
    if (sums.empty())
      sums = parts;
    else
      for (std::size_t h = 0; h < parts.size(); ++h) sums[h] += parts[h];
  }
}

template <class T>
void gather_tables(const ForwardPlan<T>& plan, Gradient<T>& gradient) {
  join_tables<T>(gradient.input_tables, gradient.weights.input_tables);
  for (std::size_t l = 0; l < gradient.weights.layer_tables.size(); ++l) {
    if (gradient.weights.layer_tables[l].empty()) continue;
    pull_bias_back(plan.layers[l], gradient.layers[l]);
    join_tables<T>(gradient.layers[l].tables, gradient.weights.layer_tables[l]);
  }
}

// ---- Forward -----------------------------------------------------------------------------------

template <class T>
Network<T>::Network(const TrainedDesign<T>& design, const ModelWeights<T>& weights,
                    const ForwardPlan<T>& plan)
    : design_(design), weights_(weights), plan_(plan), layers_(weights.layers.size()) {}

template <class T>
TokenLosses Network<T>::forward(const SequencesIn& in) {
  in_ = in;
  Matrix<T> x = embedded();
  for (std::size_t l = 0; l < layers_.size(); ++l) x = block(l, std::move(x));
  last_ = std::move(x);
  hidden_ = design().final_norm ? normalised<T>(design().norm, weights_.head.norm, last_) : last_;
  return losses_of(hidden_);
}

template <class T>
Matrix<T> Network<T>::embedded() {
  const EmbeddingWeights<T>& w = weights_.embedding;
  Matrix<T> x(static_cast<Index>(in_.tokens.size()), weights_.tokens.cols());
  for (Index i = 0; i < x.rows(); ++i)
    x.row(i) = weights_.tokens.row(in_.tokens[static_cast<std::size_t>(i)]);
  x *= static_cast<T>(design().embedding_scale);
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(plan_.encodings.input.get()))
    input->add_to_input(plan_.layers.front().positions_of(x.rows()), x);
  token_sum_ = x;
  if (design().embedding_norm == EmbeddingNorm::before_projection)
    x = normalised<T>(design().norm, w.norm, x);
  normed_sum_ = x;
  if (w.projection.W.size() > 0) x = linear_forward<T>(w.projection, x);
  if (design().embedding_norm != EmbeddingNorm::behind_projection) return x;
  token_sum_ = x;
  return normalised<T>(design().norm, w.norm, x);
}

template <class T>
Matrix<T> Network<T>::read_by(bool norms, const NormWeights<T>& w, const Matrix<T>& x) const {
  return norms ? normalised<T>(design().norm, w, x) : x;
}

/// x + A(x) + F(x), with the norms in their places.
template <class T>
Matrix<T> Network<T>::block(std::size_t l, Matrix<T> x) {
  const LayerWeights<T>& w = weights_.layers[l];
  Layer& tape = layers_[l];
  const bool norms = reads_normed() && design().layers[l].attention_norm;
  tape.first.x = std::move(x);
  tape.first.read = read_by(norms, w.before_attention, tape.first.x);
  Matrix<T> made = tape.attention.forward(plan_.layers[l], w.attention, tape.first.read);
  if (design().order != BlockOrder::sequential) {
    const bool shared = design().order == BlockOrder::parallel_shared;
    tape.second.x = tape.first.x;
    tape.second.read =
        shared ? tape.first.read : read_by(true, w.before_feed_forward, tape.first.x);
    made += feed_forward(tape.feed_forward, w.feed_forward, tape.second.read);
    return tape.first.x + made * static_cast<T>(design().residual_scale);
  }
  tape.second.x = joined(tape.first, std::move(made), w.after_attention);
  tape.second.read = read_by(reads_normed(), w.before_feed_forward, tape.second.x);
  return joined(tape.second, feed_forward(tape.feed_forward, w.feed_forward, tape.second.read),
                w.after_feed_forward);
}

/// The stream with what a half has made of it.
template <class T>
Matrix<T> Network<T>::joined(Half& half, Matrix<T> made, const NormWeights<T>& w) const {
  const NormPlace place = design().norm_place;
  if (place == NormPlace::inside || place == NormPlace::around) {
    half.made = std::move(made);
    made = normalised<T>(design().norm, w, half.made);
  }
  made *= static_cast<T>(design().residual_scale);
  made += place == NormPlace::through ? half.read : half.x;
  if (place != NormPlace::after) return made;
  half.sum = std::move(made);
  return normalised<T>(design().norm, w, half.sum);
}

template <class T>
Matrix<T> Network<T>::feed_forward(FeedForward& tape, const FeedForwardWeights<T>& w,
                                   const Matrix<T>& x) {
  const FeedForwardDesign& f = design().feed_forward;
  tape.read = x;
  tape.up = linear_forward<T>(w.up, x);
  if (f.gated) tape.gate = linear_forward<T>(w.gate, x);
  tape.active = f.gated ? tape.gate : tape.up;
  activate<T>(f.activation, tape.active);
  tape.hidden = f.gated ? Matrix<T>(tape.active.cwiseProduct(tape.up)) : tape.active;
  return linear_forward<T>(w.down, tape.hidden);
}

template <class T>
TokenLosses Network<T>::losses_of(const Matrix<T>& hidden) {
  asked_.clear();
  for (std::size_t i = 0; i < in_.targets.size(); ++i)
    if (in_.targets[i] != no_target) asked_.push_back(static_cast<Index>(i));
  head_read_.resize(static_cast<Index>(asked_.size()), hidden.cols());
  for (std::size_t i = 0; i < asked_.size(); ++i)
    head_read_.row(static_cast<Index>(i)) = hidden.row(asked_[i]);
  Matrix<T> x = head_read_;
  if (design().head_transform) {
    transformed_ = linear_forward<T>(weights_.head.transform, x);
    activated_ = transformed_;
    activate<T>(*design().head_transform, activated_);
    x = normalised<T>(design().norm, weights_.head.transform_norm, activated_);
  }
  const bool tied = weights_.vocabulary.W.size() == 0;
  probabilities_ =
      tile_product_with_transpose<T>(x, tied ? weights_.tokens : weights_.vocabulary.W);
  if (weights_.vocabulary.b.size() > 0) probabilities_.rowwise() += weights_.vocabulary.b.row(0);
  probabilities_ *= static_cast<T>(design().logit_scale);
  cap_logits(design().logit_softcap, probabilities_);
  if (design().logit_softcap > 0) capped_ = probabilities_;
  TokenLosses out{std::vector<double>(in_.tokens.size(), 0.0),
                  std::vector<bool>(in_.tokens.size(), false)};
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    auto row = probabilities_.row(static_cast<Index>(i));
    const Index target = in_.targets[static_cast<std::size_t>(asked_[i])];
    Index likeliest = 0;
    const T largest = row.maxCoeff(&likeliest);
    const T of_target = row(target);
    row = (row.array() - largest).exp().matrix();
    const double sum = static_cast<double>(row.sum());
    row *= static_cast<T>(1 / sum);
    const auto at = static_cast<std::size_t>(asked_[i]);
    out.losses[at] = std::log(sum) + static_cast<double>(largest - of_target);
    out.right[at] = likeliest == target;
  }
  return out;
}

// ---- Back --------------------------------------------------------------------------------------

template <class T>
void Network<T>::back(double scale, Gradient<T>& gradient) {
  Matrix<T> d = head_back(scale, gradient);
  if (design().final_norm)
    d = pull_back_norm<T>(design().norm, weights_.head.norm, last_, d, gradient.weights.head.norm);
  for (std::size_t l = layers_.size(); l-- > 0;) d = block_back(l, std::move(d), gradient);
  embedded_back(std::move(d), gradient);
}

/// ∂loss by the hidden states. [N, d_model]
template <class T>
Matrix<T> Network<T>::head_back(double scale, Gradient<T>& gradient) {
  ModelWeights<T>& d_w = gradient.weights;
  Matrix<T> d_logits = probabilities_;
  for (std::size_t i = 0; i < asked_.size(); ++i)
    d_logits(static_cast<Index>(i), in_.targets[static_cast<std::size_t>(asked_[i])]) -= T{1};
  pull_cap_back(design().logit_softcap, capped_, d_logits);
  d_logits *= static_cast<T>(scale * design().logit_scale);
  if (weights_.vocabulary.b.size() > 0) d_w.vocabulary.b += d_logits.colwise().sum();
  const bool tied = weights_.vocabulary.W.size() == 0;
  Matrix<T> x = head_read_;
  if (design().head_transform)
    x = normalised<T>(design().norm, weights_.head.transform_norm, activated_);
  add_transposed_tile_product<T>(d_logits, x, tied ? d_w.tokens : d_w.vocabulary.W);
  Matrix<T> d = tile_product<T>(d_logits, tied ? weights_.tokens : weights_.vocabulary.W);
  if (design().head_transform) {
    d = pull_back_norm<T>(design().norm, weights_.head.transform_norm, activated_, d,
                          d_w.head.transform_norm);
    pull_back_activation<T>(*design().head_transform, transformed_, d);
    d = pull_back_linear<T>(weights_.head.transform, head_read_, d, d_w.head.transform);
  }
  Matrix<T> d_hidden = Matrix<T>::Zero(hidden_.rows(), hidden_.cols());
  for (std::size_t i = 0; i < asked_.size(); ++i)
    d_hidden.row(asked_[i]) = d.row(static_cast<Index>(i));
  return d_hidden;
}

/// ∂loss by what a half has made, before its norm; d, that by the stream behind it, becomes that by
/// the stream before it as far as it goes past the half.
template <class T>
Matrix<T> Network<T>::made_back(const Half& half, const NormWeights<T>& w, Matrix<T>& d,
                                NormWeights<T>& d_w) const {
  const NormPlace place = design().norm_place;
  if (place == NormPlace::after) d = pull_back_norm<T>(design().norm, w, half.sum, d, d_w);
  Matrix<T> d_made = d * static_cast<T>(design().residual_scale);
  if (place == NormPlace::inside || place == NormPlace::around)
    d_made = pull_back_norm<T>(design().norm, w, half.made, d_made, d_w);
  return d_made;
}

/// d gains what the half's reading of the stream says of it.
template <class T>
void Network<T>::read_back(const Half& half, bool norms, const NormWeights<T>& w,
                           const Matrix<T>& d_read, Matrix<T>& d, NormWeights<T>& d_w) const {
  if (!norms)
    d += d_read;
  else if (design().norm_place == NormPlace::through)
    d = pull_back_norm<T>(design().norm, w, half.x, d + d_read, d_w);
  else
    d += pull_back_norm<T>(design().norm, w, half.x, d_read, d_w);
}

template <class T>
Matrix<T> Network<T>::block_back(std::size_t l, Matrix<T> d, Gradient<T>& gradient) {
  const LayerWeights<T>& w = weights_.layers[l];
  LayerWeights<T>& d_w = gradient.weights.layers[l];
  Layer& tape = layers_[l];
  const bool norms = reads_normed() && design().layers[l].attention_norm;
  const auto attention_back = [&](const Matrix<T>& d_made) {
    return tape.attention.back(plan_.layers[l], w.attention, d_made, d_w.attention,
                               gradient.layers[l]);
  };
  if (design().order != BlockOrder::sequential) {
    const Matrix<T> d_made = d * static_cast<T>(design().residual_scale);
    Matrix<T> d_read = attention_back(d_made);
    const Matrix<T> d_second =
        feed_forward_back(tape.feed_forward, w.feed_forward, d_made, d_w.feed_forward);
    if (design().order == BlockOrder::parallel_shared)
      d_read += d_second;
    else
      read_back(tape.second, true, w.before_feed_forward, d_second, d, d_w.before_feed_forward);
    read_back(tape.first, norms, w.before_attention, d_read, d, d_w.before_attention);
    return d;
  }
  Matrix<T> d_made = made_back(tape.second, w.after_feed_forward, d, d_w.after_feed_forward);
  read_back(tape.second, reads_normed(), w.before_feed_forward,
            feed_forward_back(tape.feed_forward, w.feed_forward, d_made, d_w.feed_forward), d,
            d_w.before_feed_forward);
  d_made = made_back(tape.first, w.after_attention, d, d_w.after_attention);
  read_back(tape.first, norms, w.before_attention, attention_back(d_made), d, d_w.before_attention);
  return d;
}

template <class T>
Matrix<T> Network<T>::feed_forward_back(const FeedForward& tape, const FeedForwardWeights<T>& w,
                                        const Matrix<T>& d_y, FeedForwardWeights<T>& d_w) const {
  const FeedForwardDesign& f = design().feed_forward;
  Matrix<T> d_hidden = pull_back_linear<T>(w.down, tape.hidden, d_y, d_w.down);
  if (!f.gated) {
    pull_back_activation<T>(f.activation, tape.up, d_hidden);
    return pull_back_linear<T>(w.up, tape.read, d_hidden, d_w.up);
  }
  Matrix<T> d_gate = d_hidden.cwiseProduct(tape.up);
  pull_back_activation<T>(f.activation, tape.gate, d_gate);
  d_hidden.array() *= tape.active.array();
  return pull_back_linear<T>(w.up, tape.read, d_hidden, d_w.up) +
         pull_back_linear<T>(w.gate, tape.read, d_gate, d_w.gate);
}

template <class T>
void Network<T>::embedded_back(Matrix<T> d, Gradient<T>& gradient) {
  const EmbeddingWeights<T>& w = weights_.embedding;
  EmbeddingWeights<T>& d_w = gradient.weights.embedding;
  if (design().embedding_norm == EmbeddingNorm::behind_projection)
    d = pull_back_norm<T>(design().norm, w.norm, token_sum_, d, d_w.norm);
  if (w.projection.W.size() > 0)
    d = pull_back_linear<T>(w.projection, normed_sum_, d, d_w.projection);
  if (design().embedding_norm == EmbeddingNorm::before_projection)
    d = pull_back_norm<T>(design().norm, w.norm, token_sum_, d, d_w.norm);
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(plan_.encodings.input.get()))
    input->add_input_gradients(plan_.layers.front().positions_of(d.rows()), d,
                               gradient.input_tables);
  d *= static_cast<T>(design().embedding_scale);
  for (Index i = 0; i < d.rows(); ++i)
    gradient.weights.tokens.row(in_.tokens[static_cast<std::size_t>(i)]) += d.row(i);
}

#define ORRERY_INSTANTIATE(T)                                                                 \
  template ForwardPlan<T> forward_plan(const TrainedDesign<T>&, const ModelEncodings&, Index, \
                                       Index);                                                \
  template Gradient<T> empty_gradient(const ModelWeights<T>&);                                \
  template void add_gradient(Gradient<T>&, Gradient<T>&);                                     \
  template void gather_tables(const ForwardPlan<T>&, Gradient<T>&);                           \
  template class Network<T>

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
