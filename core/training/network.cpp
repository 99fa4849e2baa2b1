#include "core/training/network.h"

#include <algorithm>
#include <cmath>

#include "core/attention/weight_rules.h"
#include "core/errors.h"
#include "core/kernels/tiles.h"
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
void add_table_gradients(Gradient<T>& a, const Gradient<T>& b) {
  add_tables(a.input_tables, b.input_tables);
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    add_tables(a.layers[l].tables, b.layers[l].tables);
    std::vector<Matrix<T>>& sums = a.layers[l].bias;
    const std::vector<Matrix<T>>& parts = b.layers[l].bias;
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
  embed();
  for (std::size_t l = 0; l < layers_.size(); ++l) pass_block(l);
  read_by(design().final_norm, weights_.head.norm, last_, hidden_);
  form_probabilities();
  return take_losses();
}

template <class T>
void Network<T>::embed() {
  const EmbeddingWeights<T>& w = weights_.embedding;
  Matrix<T>& x = stream(0);
  x.resize(static_cast<Index>(in_.tokens.size()), weights_.tokens.cols());
  for (Index i = 0; i < x.rows(); ++i)
    x.row(i) = weights_.tokens.row(in_.tokens[static_cast<std::size_t>(i)]);
  x *= static_cast<T>(design().embedding_scale);
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(plan_.encodings.input.get()))
    input->add_to_input(plan_.layers.front().positions_of(x.rows()), x);
  if (design().embedding_norm == EmbeddingNorm::before_projection) {
    token_sum_ = x;
    normalise<T>(design().norm, w.norm, x, x);
  }
  if (w.projection.W.size() > 0) {
    normed_sum_ = x;
    linear_forward<T>(products_, w.projection, normed_sum_, x);
  }
  if (design().embedding_norm != EmbeddingNorm::behind_projection) return;
  token_sum_ = x;
  normalise<T>(design().norm, w.norm, x, x);
}

template <class T>
void Network<T>::read_by(bool norms, const NormWeights<T>& w, const Matrix<T>& x,
                         Matrix<T>& read) const {
  read.resize(x.rows(), x.cols());
  if (norms)
    normalise<T>(design().norm, w, x, read);
  else
    read = x;
}

/// x + A(x) + F(x), with the norms in their places.
template <class T>
void Network<T>::pass_block(std::size_t l) {
  const LayerWeights<T>& w = weights_.layers[l];
  Layer& tape = layers_[l];
  Half &first = tape.first, &second = tape.second;
  read_by(reads_normed() && design().layers[l].attention_norm, w.before_attention, first.x,
          first.read);
  tape.attention.forward(plan_.layers[l], w.attention, first.read, made_);
  if (design().order != BlockOrder::sequential) {
    second.x = first.x;
    if (design().order == BlockOrder::parallel_shared)
      second.read = first.read;
    else
      read_by(true, w.before_feed_forward, first.x, second.read);
    feed_forward(tape.feed_forward, w.feed_forward, second.read, second.made);
    stream(l + 1) = first.x + (made_ + second.made) * static_cast<T>(design().residual_scale);
    return;
  }
  join(first, w.after_attention, second.x);
  read_by(reads_normed(), w.before_feed_forward, second.x, second.read);
  feed_forward(tape.feed_forward, w.feed_forward, second.read, made_);
  join(second, w.after_feed_forward, stream(l + 1));
}

/// out, the stream with what a half has made of it.
template <class T>
void Network<T>::join(Half& half, const NormWeights<T>& w, Matrix<T>& out) {
  const NormPlace place = design().norm_place;
  if (place == NormPlace::inside || place == NormPlace::around) {
    half.made = made_;
    normalise<T>(design().norm, w, made_, made_);
  }
  const Matrix<T>& before = place == NormPlace::through ? half.read : half.x;
  out = made_ * static_cast<T>(design().residual_scale) + before;
  if (place != NormPlace::after) return;
  half.sum = out;
  normalise<T>(design().norm, w, out, out);
}

template <class T>
void Network<T>::feed_forward(FeedForward& tape, const FeedForwardWeights<T>& w, const Matrix<T>& x,
                              Matrix<T>& y) {
  const FeedForwardDesign& f = design().feed_forward;
  Matrix<T>& active = f.gated ? tape.active : tape.hidden;
  linear_forward<T>(products_, f.gated ? w.gate : w.up, x, active);
  tape.slopes.resize(active.rows(), active.cols());
  activate<T>(f.activation, active, tape.slopes);
  if (f.gated) {
    linear_forward<T>(products_, w.up, x, tape.up);
    tape.hidden = tape.active.cwiseProduct(tape.up);
  }
  linear_forward<T>(products_, w.down, tape.hidden, y);
}

/// Of the rows with a target; logits first.
template <class T>
void Network<T>::form_probabilities() {
  asked_.clear();
  for (std::size_t i = 0; i < in_.targets.size(); ++i)
    if (in_.targets[i] != no_target) asked_.push_back(static_cast<Index>(i));
  asked_hidden_.resize(static_cast<Index>(asked_.size()), hidden_.cols());
  for (std::size_t i = 0; i < asked_.size(); ++i)
    asked_hidden_.row(static_cast<Index>(i)) = hidden_.row(asked_[i]);
  if (design().head_transform) {
    linear_forward<T>(products_, weights_.head.transform, asked_hidden_, activated_);
    head_slopes_.resize(activated_.rows(), activated_.cols());
    activate<T>(*design().head_transform, activated_, head_slopes_);
    read_by(true, weights_.head.transform_norm, activated_, head_read_);
  }
  const Matrix<T>& x = design().head_transform ? head_read_ : asked_hidden_;
  const bool tied = weights_.vocabulary.W.size() == 0;
  probabilities_.resize(x.rows(), weights_.tokens.rows());
  products_.times_transpose(x, tied ? weights_.tokens : weights_.vocabulary.W, probabilities_);
  if (weights_.vocabulary.b.size() > 0) probabilities_.rowwise() += weights_.vocabulary.b.row(0);
  probabilities_ *= static_cast<T>(design().logit_scale);
  cap_logits(design().logit_softcap, probabilities_);
  if (design().logit_softcap > 0) capped_ = probabilities_;
}

/// probabilities_, so far logits, become what they are called.
template <class T>
TokenLosses Network<T>::take_losses() {
  const auto& kernels = kernels::tile_kernels<T>();
  TokenLosses out{std::vector<double>(in_.tokens.size(), 0.0),
                  std::vector<bool>(in_.tokens.size(), false)};
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    auto row = probabilities_.row(static_cast<Index>(i));
    const auto n = static_cast<std::size_t>(row.size());
    const auto at = static_cast<std::size_t>(asked_[i]);
    const Index target = in_.targets[at];
    const T largest = kernels.largest(n, row.data()), of_target = row(target);
    // The first of equal ones is the likeliest.
    out.right[at] = of_target == largest &&
                    std::find(row.data(), row.data() + target, largest) == row.data() + target;
    const double sum = kernels.exponentials(n, largest, row.data());
    row *= static_cast<T>(1 / sum);
    out.losses[at] = std::log(sum) + static_cast<double>(largest - of_target);
  }
  return out;
}

// ---- Back --------------------------------------------------------------------------------------

template <class T>
void Network<T>::back(double scale, Gradient<T>& gradient) {
  head_back(scale, gradient);
  if (design().final_norm)
    pull_back_norm<T>(design().norm, weights_.head.norm, last_, d_, gradient.weights.head.norm, d_);
  for (std::size_t l = layers_.size(); l-- > 0;) block_back(l, gradient);
  embedded_back(gradient);
}

/// d_ becomes ∂loss by the hidden states.
template <class T>
void Network<T>::head_back(double scale, Gradient<T>& gradient) {
  ModelWeights<T>& d_w = gradient.weights;
  d_logits_ = probabilities_;
  for (std::size_t i = 0; i < asked_.size(); ++i)
    d_logits_(static_cast<Index>(i), in_.targets[static_cast<std::size_t>(asked_[i])]) -= T{1};
  pull_cap_back(design().logit_softcap, capped_, d_logits_);
  d_logits_ *= static_cast<T>(scale * design().logit_scale);
  if (weights_.vocabulary.b.size() > 0) d_w.vocabulary.b += d_logits_.colwise().sum();
  const bool tied = weights_.vocabulary.W.size() == 0;
  const Matrix<T>& x = design().head_transform ? head_read_ : asked_hidden_;
  products_.transpose_times(d_logits_, x, tied ? d_w.tokens : d_w.vocabulary.W, Into::add);
  d_head_.resize(x.rows(), x.cols());
  products_.times(d_logits_, tied ? weights_.tokens : weights_.vocabulary.W, d_head_);
  if (design().head_transform) {
    pull_back_norm<T>(design().norm, weights_.head.transform_norm, activated_, d_head_,
                      d_w.head.transform_norm, d_head_);
    d_head_.array() *= head_slopes_.array();
    pull_back_linear<T>(products_, weights_.head.transform, asked_hidden_, d_head_,
                        d_w.head.transform, d_read_);
    d_head_.swap(d_read_);
  }
  d_.setZero(hidden_.rows(), hidden_.cols());
  for (std::size_t i = 0; i < asked_.size(); ++i)
    d_.row(asked_[i]) = d_head_.row(static_cast<Index>(i));
}

/// d_made_ becomes ∂loss by what a half has made, before its norm; d_, that by the stream behind it,
/// becomes that by the stream before it as far as it goes past the half.
template <class T>
void Network<T>::made_back(const Half& half, const NormWeights<T>& w, NormWeights<T>& d_w) {
  const NormPlace place = design().norm_place;
  if (place == NormPlace::after) pull_back_norm<T>(design().norm, w, half.sum, d_, d_w, d_);
  d_made_ = d_ * static_cast<T>(design().residual_scale);
  if (place == NormPlace::inside || place == NormPlace::around)
    pull_back_norm<T>(design().norm, w, half.made, d_made_, d_w, d_made_);
}

/// d_ gains what the half's reading of the stream says of it.
template <class T>
void Network<T>::read_back(const Half& half, bool norms, const NormWeights<T>& w,
                           const Matrix<T>& d_read, NormWeights<T>& d_w) {
  if (!norms) {
    d_ += d_read;
  } else if (design().norm_place == NormPlace::through) {
    d_ += d_read;
    pull_back_norm<T>(design().norm, w, half.x, d_, d_w, d_);
  } else {
    pull_back_norm<T>(design().norm, w, half.x, d_read, d_w, d_, Into::add);
  }
}

template <class T>
void Network<T>::block_back(std::size_t l, Gradient<T>& gradient) {
  const LayerWeights<T>& w = weights_.layers[l];
  LayerWeights<T>& d_w = gradient.weights.layers[l];
  Layer& tape = layers_[l];
  const bool norms = reads_normed() && design().layers[l].attention_norm;
  const auto attention_back = [&]() -> const Matrix<T>& {
    return tape.attention.back(plan_.layers[l], w.attention, d_made_, d_w.attention,
                               gradient.layers[l]);
  };
  const auto second_back = [&]() -> const Matrix<T>& {
    return feed_forward_back(tape.feed_forward, w.feed_forward, tape.second.read, d_w.feed_forward);
  };
  if (design().order == BlockOrder::sequential) {
    made_back(tape.second, w.after_feed_forward, d_w.after_feed_forward);
    read_back(tape.second, reads_normed(), w.before_feed_forward, second_back(),
              d_w.before_feed_forward);
    made_back(tape.first, w.after_attention, d_w.after_attention);
    read_back(tape.first, norms, w.before_attention, attention_back(), d_w.before_attention);
    return;
  }
  d_made_ = d_ * static_cast<T>(design().residual_scale);
  const Matrix<T>& d_second = second_back();
  if (design().order == BlockOrder::parallel_shared) {
    d_read_ += attention_back();
    read_back(tape.first, norms, w.before_attention, d_second, d_w.before_attention);
  } else {
    read_back(tape.second, true, w.before_feed_forward, d_second, d_w.before_feed_forward);
    read_back(tape.first, norms, w.before_attention, attention_back(), d_w.before_attention);
  }
}

/// d_read_: ∂loss by x, what the feed-forward layer read, from d_made_.
template <class T>
const Matrix<T>& Network<T>::feed_forward_back(const FeedForward& tape,
                                               const FeedForwardWeights<T>& w, const Matrix<T>& x,
                                               FeedForwardWeights<T>& d_w) {
  pull_back_linear<T>(products_, w.down, tape.hidden, d_made_, d_w.down, d_hidden_);
  if (!design().feed_forward.gated) {
    d_hidden_.array() *= tape.slopes.array();
    pull_back_linear<T>(products_, w.up, x, d_hidden_, d_w.up, d_read_);
    return d_read_;
  }
  d_gate_ = d_hidden_.cwiseProduct(tape.up).cwiseProduct(tape.slopes);
  d_hidden_.array() *= tape.active.array();
  pull_back_linear<T>(products_, w.up, x, d_hidden_, d_w.up, d_read_);
  pull_back_linear<T>(products_, w.gate, x, d_gate_, d_w.gate, d_read_, Into::add);
  return d_read_;
}

template <class T>
void Network<T>::embedded_back(Gradient<T>& gradient) {
  const EmbeddingWeights<T>& w = weights_.embedding;
  EmbeddingWeights<T>& d_w = gradient.weights.embedding;
  if (design().embedding_norm == EmbeddingNorm::behind_projection)
    pull_back_norm<T>(design().norm, w.norm, token_sum_, d_, d_w.norm, d_);
  if (w.projection.W.size() > 0) {
    pull_back_linear<T>(products_, w.projection, normed_sum_, d_, d_w.projection, d_read_);
    d_.swap(d_read_);
  }
  if (design().embedding_norm == EmbeddingNorm::before_projection)
    pull_back_norm<T>(design().norm, w.norm, token_sum_, d_, d_w.norm, d_);
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(plan_.encodings.input.get()))
    input->add_input_gradients(plan_.layers.front().positions_of(d_.rows()), d_,
                               gradient.input_tables);
  d_ *= static_cast<T>(design().embedding_scale);
  for (Index i = 0; i < d_.rows(); ++i)
    gradient.weights.tokens.row(in_.tokens[static_cast<std::size_t>(i)]) += d_.row(i);
}

#define ORRERY_INSTANTIATE(T)                                                                 \
  template ForwardPlan<T> forward_plan(const TrainedDesign<T>&, const ModelEncodings&, Index, \
                                       Index);                                                \
  template Gradient<T> empty_gradient(const ModelWeights<T>&);                                \
  template void add_table_gradients(Gradient<T>&, const Gradient<T>&);                        \
  template void gather_tables(const ForwardPlan<T>&, Gradient<T>&);                           \
  template class Network<T>

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
