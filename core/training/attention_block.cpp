#include "core/training/attention_block.h"

#include <utility>

#include "core/attention/softcap.h"
#include "core/attention/weight_rules.h"
#include "core/errors.h"
#include "core/kernels/tiles.h"
#include "core/training/linear_step.h"
#include "core/training/tile_product.h"
#include "core/transformer/qk_norm.h"

namespace orrery {
namespace {

// ---- The plan ----------------------------------------------------------------------------------

template <class T>
void read_mask(AttentionPlan<T>& plan) {
  const Mask mask = MaskSpec{.causal = plan.design.causal, .window = plan.layer.window}.build(
      plan.positions, plan.positions);
  const auto n = static_cast<Index>(plan.positions.size());
  for (Index i = 0; i < n; ++i) plan.seen.push_back(mask.keys_of(i, n));
  if (plan.layer.rule.given())
    plan.row_factors = logit_factors_of(plan.layer.rule, plan.positions, mask, n);
}

/// The terms of a head beside the content's, without contents, and the scale of the content's.
template <class T>
void read_bias(AttentionPlan<T>& plan) {
  const Index n = static_cast<Index>(plan.positions.size()), d = plan.design.d_head;
  const Matrix<T> nothing = Matrix<T>::Zero(n, d);
  for (int h = 0; h < static_cast<int>(plan.design.heads); ++h) {
    const std::vector<ScoreTerm<T>> terms = plan.doors.score_terms->score_terms(
        {.q = nothing, .k = nothing, .m = plan.positions, .n = plan.positions, .head = h});
    Matrix<T> sum = Matrix<T>::Zero(n, n);
    for (const ScoreTerm<T>& term : terms) sum += term.logits;
    plan.bias.push_back(std::move(sum));
  }
}

[[noreturn]] void refuse_in_linear_attention() {
  throw UsageError("an encoding that adds to logits or values",
                   "linear attention forms none, and takes rotations and additions to the input",
                   "choose rope, sinusoidal, learned or none, or softmax");
}

}  // namespace

template <class T>
AttentionPlan<T> attention_plan(const TransformerDesign& design, std::size_t layer,
                                const LinearKernel<T>* linear, const Encoding* encoding,
                                Index length, Index sequences) {
  AttentionPlan<T> plan{.layer = design.layers[layer],
                        .design = design.attention,
                        .groups = HeadGroups(design.attention.heads, design.attention.kv_heads),
                        .linear = linear};
  if (encoding) plan.doors = SoftmaxDoors<T>::of(*encoding);
  if (linear && (plan.doors.score_terms || plan.doors.value_term)) {
    // RoPE has that door for values that turn, and uses it only where it was told to.
    if (plan.doors.score_terms || !plan.doors.qk_transform) refuse_in_linear_attention();
    plan.doors.value_term = nullptr;
  }
  plan.positions = consecutive_positions(length);
  for (Index s = 0; s < sequences; ++s)
    plan.all_positions.insert(plan.all_positions.end(), plan.positions.begin(),
                              plan.positions.end());
  read_mask(plan);
  plan.content_scale = static_cast<T>(content_scale<T>(plan.doors, plan.layer, plan.design.d_head));
  if (plan.doors.score_terms && plan.doors.score_terms->is_bias()) read_bias(plan);
  return plan;
}

// ---- Forward -----------------------------------------------------------------------------------

namespace {

/// 0 where the query does not see the key.
template <class T>
void hide(const AttentionPlan<T>& plan, Matrix<T>& map) {
  for (Index i = 0; i < map.rows(); ++i) {
    const VisibleKeys& seen = plan.seen[static_cast<std::size_t>(i)];
    map.row(i).head(seen.first).setZero();
    map.row(i).tail(map.cols() - seen.end).setZero();
  }
}

/// logits become weights, row by row; a row without a key to see becomes 0.
template <class T>
void softmax_rows(const AttentionPlan<T>& plan, Matrix<T>& logits) {
  const auto& kernels = kernels::tile_kernels<T>();
  hide(plan, logits);
  for (Index i = 0; i < logits.rows(); ++i) {
    const VisibleKeys& seen = plan.seen[static_cast<std::size_t>(i)];
    const auto n = static_cast<std::size_t>(seen.end - seen.first);
    T* row = logits.row(i).data() + seen.first;
    const T largest = kernels.largest(n, row);
    if (n == 0) continue;
    const double sum = kernels.exponentials(n, largest, row);
    logits.row(i).segment(seen.first, seen.end - seen.first) *= static_cast<T>(1 / sum);
  }
}

}  // namespace

template <class T>
Matrix<T> AttentionBlock<T>::forward(const AttentionPlan<T>& plan, const AttentionWeights<T>& w,
                                     const Matrix<T>& x) {
  heads_ = plan.design.heads;
  length_ = static_cast<Index>(plan.positions.size());
  sequences_ = x.rows() / length_;
  x_ = x;
  projected_q_ = linear_forward<T>(w.q, x);
  projected_k_ = linear_forward<T>(w.k, x);
  v_ = linear_forward<T>(w.v, x);
  normalise(plan, w);
  out_.resize(x.rows(), heads_ * plan.design.d_value);
  maps_.resize(static_cast<std::size_t>(sequences_ * heads_));
  if (plan.linear) make_features(plan);
  for (Index s = 0; s < sequences_; ++s)
    for (Index h = 0; h < heads_; ++h)
      plan.linear ? attend_linearly(plan, s, h) : attend(plan, s, h);
  return linear_forward<T>(w.o, out_);
}

/// q_ and k_ from the projections: norm and position in their order.
template <class T>
void AttentionBlock<T>::normalise(const AttentionPlan<T>& plan, const AttentionWeights<T>& w) {
  const QkNormDesign& design = plan.design.qk_norm;
  const Index d = plan.design.d_head;
  const bool norms = design.over != QkNormSpan::none;
  const bool first = norms && !design.after_position;
  normed_q_ = first ? normed_heads<T>(design, w.q_norm, d, projected_q_) : projected_q_;
  normed_k_ = first ? normed_heads<T>(design, w.k_norm, d, projected_k_) : projected_k_;
  q_ = normed_q_;
  k_ = normed_k_;
  if (plan.doors.qk_transform && !plan.linear) {
    for (Index at = 0; at < q_.cols(); at += d)
      plan.doors.qk_transform->transform_queries(plan.positions_of(x_.rows()),
                                                 q_.middleCols(at, d));
    for (Index at = 0; at < k_.cols(); at += d)
      plan.doors.qk_transform->transform_keys(plan.positions_of(x_.rows()), k_.middleCols(at, d));
  }
  if (!norms || first) return;
  turned_q_ = q_;
  turned_k_ = k_;
  q_ = normed_heads<T>(design, w.q_norm, d, turned_q_);
  k_ = normed_heads<T>(design, w.k_norm, d, turned_k_);
}

template <class T>
ScoreInputs<T> AttentionBlock<T>::score_inputs(const AttentionPlan<T>& plan, Index sequence,
                                               Index head, const Matrix<T>* x) const {
  const Index d = plan.design.d_head;
  return {.q = part(q_, sequence, head, d),
          .k = part(k_, sequence, plan.kv_head(head), d),
          .m = plan.positions,
          .n = plan.positions,
          .head = static_cast<int>(head),
          .scoring = {.scale = plan.layer.scale},
          .x = x};
}

template <class T>
Matrix<T> AttentionBlock<T>::logits_of(const AttentionPlan<T>& plan, Index sequence,
                                       Index head) const {
  if (plan.reads_contents()) {
    const Matrix<T> x = x_.middleRows(sequence * length_, length_);
    Matrix<T> sum = Matrix<T>::Zero(length_, length_);
    for (const ScoreTerm<T>& term :
         plan.doors.score_terms->score_terms(score_inputs(plan, sequence, head, &x)))
      sum += term.logits;
    return sum;
  }
  const Index d = plan.design.d_head;
  Matrix<T> logits = tile_product_with_transpose<T>(part(q_, sequence, head, d),
                                                    part(k_, sequence, plan.kv_head(head), d));
  logits *= plan.content_scale;
  if (!plan.bias.empty()) logits += plan.bias[static_cast<std::size_t>(head)];
  return logits;
}

template <class T>
void AttentionBlock<T>::attend(const AttentionPlan<T>& plan, Index sequence, Index head) {
  const Index d_value = plan.design.d_value;
  Map& map = maps_[static_cast<std::size_t>(sequence * heads_ + head)];
  map.weights = logits_of(plan, sequence, head);
  if (!plan.row_factors.empty()) scale_rows<T>(plan.row_factors, map.weights);
  cap_logits(plan.design.softcap, map.weights);
  if (plan.design.softcap > 0) map.logits = map.weights;
  softmax_rows(plan, map.weights);
  const Index kv_head = plan.kv_head(head);
  Matrix<T> out = tile_product<T>(map.weights, part(v_, sequence, kv_head, d_value));
  if (plan.doors.value_term)
    plan.doors.value_term->add_to_output({.weights = map.weights,
                                          .v = part(v_, sequence, kv_head, d_value),
                                          .m = plan.positions,
                                          .n = plan.positions},
                                         out);
  part(out_, sequence, head, d_value) = out;
}

template <class T>
void AttentionBlock<T>::make_features(const AttentionPlan<T>& plan) {
  const Index d = plan.design.d_head;
  const FeatureMap<T>& map = *plan.linear->features;
  const QkTransform<T>* turn = plan.doors.qk_transform;
  const bool before = plan.linear->variant == LinearVariant::rotated_before_features;
  features_.resize(static_cast<std::size_t>(heads_));
  for (Index h = 0; h < heads_; ++h) {
    Features& f = features_[static_cast<std::size_t>(h)];
    f.read_q = q_.middleCols(h * d, d);
    f.read_k = k_.middleCols(plan.kv_head(h) * d, d);
    if (turn && before) {
      turn->transform_queries(plan.positions_of(x_.rows()), f.read_q);
      turn->transform_keys(plan.positions_of(x_.rows()), f.read_k);
    }
    f.plain_q = map.of_queries(f.read_q);
    f.plain_k = map.of_keys(f.read_k);
    f.above_q = f.plain_q;
    f.above_k = f.plain_k;
    if (turn && !before) {
      turn->transform_queries(plan.positions_of(x_.rows()), f.above_q);
      turn->transform_keys(plan.positions_of(x_.rows()), f.above_k);
    }
  }
}

namespace {

/// Whether features below the fraction bar are the rotated ones.
template <class T>
bool rotates_below(const AttentionPlan<T>& plan) {
  return plan.linear->variant == LinearVariant::both_rotated;
}

}  // namespace

template <class T>
void AttentionBlock<T>::attend_linearly(const AttentionPlan<T>& plan, Index sequence, Index head) {
  const Index d_value = plan.design.d_value, first = sequence * length_;
  const Features& f = features_[static_cast<std::size_t>(head)];
  Map& map = maps_[static_cast<std::size_t>(sequence * heads_ + head)];
  map.weights = tile_product_with_transpose<T>(f.above_q.middleRows(first, length_),
                                               f.above_k.middleRows(first, length_));
  hide(plan, map.weights);
  Matrix<T> below = map.weights;
  if (!rotates_below(plan)) {
    below = tile_product_with_transpose<T>(f.plain_q.middleRows(first, length_),
                                           f.plain_k.middleRows(first, length_));
    hide(plan, below);
  }
  map.normalizers = below.rowwise().sum();
  for (Index i = 0; i < length_; ++i)
    map.weights.row(i) *= map.normalizers(i, 0) == T{0} ? T{0} : 1 / map.normalizers(i, 0);
  part(out_, sequence, head, d_value) =
      tile_product<T>(map.weights, part(v_, sequence, plan.kv_head(head), d_value));
}

// ---- Back --------------------------------------------------------------------------------------

template <class T>
Matrix<T> AttentionBlock<T>::back(const AttentionPlan<T>& plan, const AttentionWeights<T>& w,
                                  const Matrix<T>& d_y, AttentionWeights<T>& d_w,
                                  EncodingGradient<T>& d_encoding) {
  d_out_ = pull_back_linear<T>(w.o, out_, d_y, d_w.o);
  d_q_.setZero(q_.rows(), q_.cols());
  d_k_.setZero(k_.rows(), k_.cols());
  d_v_.setZero(v_.rows(), v_.cols());
  d_x_.setZero(x_.rows(), x_.cols());
  d_encoding.bias.resize(plan.bias.size());
  if (plan.linear) {
    d_features_.resize(features_.size());
    for (std::size_t h = 0; h < features_.size(); ++h) {
      const Features& f = features_[h];
      Features& d = d_features_[h];
      d.plain_q.setZero(f.plain_q.rows(), f.plain_q.cols());
      d.plain_k.setZero(f.plain_k.rows(), f.plain_k.cols());
      d.above_q.setZero(f.above_q.rows(), f.above_q.cols());
      d.above_k.setZero(f.above_k.rows(), f.above_k.cols());
    }
  }
  for (Index s = 0; s < sequences_; ++s)
    for (Index h = 0; h < heads_; ++h)
      plan.linear ? attend_linearly_back(plan, s, h) : attend_back(plan, s, h, d_encoding);
  if (plan.linear) features_back(plan, d_encoding.tables);
  normalise_back(plan, w, d_w);
  if (!plan.linear) turn_back(plan, d_encoding.tables);
  const QkNormDesign& norm = plan.design.qk_norm;
  if (norm.over != QkNormSpan::none && !norm.after_position) {
    pull_back_heads<T>(norm, w.q_norm, plan.design.d_head, projected_q_, d_q_, d_w.q_norm);
    pull_back_heads<T>(norm, w.k_norm, plan.design.d_head, projected_k_, d_k_, d_w.k_norm);
  }
  d_x_ += pull_back_linear<T>(w.q, x_, d_q_, d_w.q);
  d_x_ += pull_back_linear<T>(w.k, x_, d_k_, d_w.k);
  d_x_ += pull_back_linear<T>(w.v, x_, d_v_, d_w.v);
  return d_x_;
}

/// From q_ and k_ to what position has turned.
template <class T>
void AttentionBlock<T>::normalise_back(const AttentionPlan<T>& plan, const AttentionWeights<T>& w,
                                       AttentionWeights<T>& d_w) {
  const QkNormDesign& norm = plan.design.qk_norm;
  if (norm.over == QkNormSpan::none || !norm.after_position) return;
  pull_back_heads<T>(norm, w.q_norm, plan.design.d_head, turned_q_, d_q_, d_w.q_norm);
  pull_back_heads<T>(norm, w.k_norm, plan.design.d_head, turned_k_, d_k_, d_w.k_norm);
}

template <class T>
void AttentionBlock<T>::turn_back(const AttentionPlan<T>& plan, Tables& d_tables) {
  if (!plan.doors.qk_transform) return;
  const Index d = plan.design.d_head;
  for (Index at = 0; at < q_.cols(); at += d)
    plan.doors.qk_transform->pull_queries_back(plan.positions_of(x_.rows()),
                                               normed_q_.middleCols(at, d), d_q_.middleCols(at, d),
                                               d_tables);
  for (Index at = 0; at < k_.cols(); at += d)
    plan.doors.qk_transform->pull_keys_back(plan.positions_of(x_.rows()),
                                            normed_k_.middleCols(at, d), d_k_.middleCols(at, d),
                                            d_tables);
}

template <class T>
void AttentionBlock<T>::attend_back(const AttentionPlan<T>& plan, Index sequence, Index head,
                                    EncodingGradient<T>& d_encoding) {
  const Index d = plan.design.d_head, d_value = plan.design.d_value;
  const Index kv_head = plan.kv_head(head);
  const Map& map = maps_[static_cast<std::size_t>(sequence * heads_ + head)];
  const Matrix<T> d_out = part(d_out_, sequence, head, d_value);
  Matrix<T> d_logits = tile_product_with_transpose<T>(d_out, part(v_, sequence, kv_head, d_value));
  if (plan.doors.value_term)
    plan.doors.value_term->add_value_gradients(
        {.weights = map.weights,
         .v = part(v_, sequence, kv_head, d_value),
         .m = plan.positions,
         .n = plan.positions},
        d_out, d_logits, part(d_v_, sequence, kv_head, d_value), d_encoding.tables);
  add_transposed_tile_product<T>(map.weights, d_out, part(d_v_, sequence, kv_head, d_value));
  for (Index i = 0; i < length_; ++i) {
    const T mean = map.weights.row(i).dot(d_logits.row(i));
    d_logits.row(i) = (map.weights.row(i).array() * (d_logits.row(i).array() - mean)).matrix();
  }
  pull_cap_back(plan.design.softcap, map.logits, d_logits);
  if (!plan.row_factors.empty()) scale_rows<T>(plan.row_factors, d_logits);
  if (plan.reads_contents()) {
    const Matrix<T> x = x_.middleRows(sequence * length_, length_);
    Matrix<T> d_x = Matrix<T>::Zero(length_, x.cols());
    plan.doors.score_terms->add_score_gradients(score_inputs(plan, sequence, head, &x), d_logits,
                                                {.q = part(d_q_, sequence, head, d),
                                                 .k = part(d_k_, sequence, kv_head, d),
                                                 .x = &d_x,
                                                 .tables = d_encoding.tables});
    d_x_.middleRows(sequence * length_, length_) += d_x;
    return;
  }
  if (!plan.bias.empty()) {
    Matrix<T>& sum = d_encoding.bias[static_cast<std::size_t>(head)];
    if (sum.size() == 0) sum.setZero(length_, length_);
    sum += d_logits;
  }
  d_logits *= plan.content_scale;
  add_tile_product<T>(d_logits, part(k_, sequence, kv_head, d), part(d_q_, sequence, head, d));
  add_transposed_tile_product<T>(d_logits, part(q_, sequence, head, d),
                                 part(d_k_, sequence, kv_head, d));
}

// a = above/below: ∂ by above is ∂ by a over below, and by below it is −Σ ∂ by a · a over below.
template <class T>
void AttentionBlock<T>::attend_linearly_back(const AttentionPlan<T>& plan, Index sequence,
                                             Index head) {
  const Index d_value = plan.design.d_value, first = sequence * length_;
  const Index kv_head = plan.kv_head(head);
  const auto h = static_cast<std::size_t>(head);
  const Features& f = features_[h];
  Features& d = d_features_[h];
  const Map& map = maps_[static_cast<std::size_t>(sequence * heads_ + head)];
  const Matrix<T> d_out = part(d_out_, sequence, head, d_value);
  Matrix<T> d_above = tile_product_with_transpose<T>(d_out, part(v_, sequence, kv_head, d_value));
  add_transposed_tile_product<T>(map.weights, d_out, part(d_v_, sequence, kv_head, d_value));
  Matrix<T> d_below(length_, length_);
  for (Index i = 0; i < length_; ++i) {
    const T inverse = map.normalizers(i, 0) == T{0} ? T{0} : 1 / map.normalizers(i, 0);
    d_below.row(i).setConstant(-inverse * map.weights.row(i).dot(d_above.row(i)));
    d_above.row(i) *= inverse;
  }
  hide(plan, d_above);
  hide(plan, d_below);
  const auto pull = [&](const Matrix<T>& d_product, const Matrix<T>& q, const Matrix<T>& k,
                        Matrix<T>& d_q, Matrix<T>& d_k) {
    add_tile_product<T>(d_product, k.middleRows(first, length_), d_q.middleRows(first, length_));
    add_transposed_tile_product<T>(d_product, q.middleRows(first, length_),
                                   d_k.middleRows(first, length_));
  };
  pull(d_above, f.above_q, f.above_k, d.above_q, d.above_k);
  if (rotates_below(plan))
    pull(d_below, f.above_q, f.above_k, d.above_q, d.above_k);
  else
    pull(d_below, f.plain_q, f.plain_k, d.plain_q, d.plain_k);
}

template <class T>
void AttentionBlock<T>::features_back(const AttentionPlan<T>& plan, Tables& d_tables) {
  const Index width = plan.design.d_head;
  const QkTransform<T>* turn = plan.doors.qk_transform;
  const bool before = plan.linear->variant == LinearVariant::rotated_before_features;
  for (Index h = 0; h < heads_; ++h) {
    const Features& f = features_[static_cast<std::size_t>(h)];
    Features& d = d_features_[static_cast<std::size_t>(h)];
    if (turn && !before) {
      turn->pull_queries_back(plan.positions_of(x_.rows()), f.plain_q, d.above_q, d_tables);
      turn->pull_keys_back(plan.positions_of(x_.rows()), f.plain_k, d.above_k, d_tables);
    }
    d.plain_q += d.above_q;
    d.plain_k += d.above_k;
    d.read_q = plan.linear->features->pull_back(f.read_q, f.plain_q, d.plain_q);
    d.read_k = plan.linear->features->pull_back(f.read_k, f.plain_k, d.plain_k);
    const Index of_key = plan.kv_head(h) * width;
    if (turn && before) {
      turn->pull_queries_back(plan.positions_of(x_.rows()), q_.middleCols(h * width, width),
                              d.read_q, d_tables);
      turn->pull_keys_back(plan.positions_of(x_.rows()), k_.middleCols(of_key, width), d.read_k,
                           d_tables);
    }
    d_q_.middleCols(h * width, width) += d.read_q;
    d_k_.middleCols(of_key, width) += d.read_k;
  }
}

template struct AttentionPlan<float>;
template struct AttentionPlan<double>;
template AttentionPlan<float> attention_plan(const TransformerDesign&, std::size_t,
                                             const LinearKernel<float>*, const Encoding*, Index,
                                             Index);
template AttentionPlan<double> attention_plan(const TransformerDesign&, std::size_t,
                                              const LinearKernel<double>*, const Encoding*, Index,
                                              Index);
template class AttentionBlock<float>;
template class AttentionBlock<double>;

}  // namespace orrery
