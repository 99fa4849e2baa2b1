#include "core/training/attention_block.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/attention/weight_rules.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "core/kernels/steps.h"
#include "core/kernels/tiles.h"
#include "core/training/tile_product.h"
#include "core/transformer/norm.h"

namespace orrery {
namespace {

// ---- The plan ----------------------------------------------------------------------------------

/// Rows are worked on some at a time; of those that see alike, all at once.
std::vector<SeenBlock> blocks_of(std::span<const VisibleKeys> seen) {
  constexpr std::size_t at_once = 2 * kernels::tile_rows;
  std::vector<SeenBlock> blocks;
  for (std::size_t first = 0; first < seen.size(); first += at_once) {
    const std::size_t count = std::min(at_once, seen.size() - first);
    const KeyRange columns = any_of(seen.subspan(first, count));
    if (!blocks.empty() && blocks.back().columns.first == columns.first &&
        blocks.back().columns.end == columns.end)
      blocks.back().count += static_cast<Index>(count);
    else
      blocks.push_back({static_cast<Index>(first), static_cast<Index>(count), columns});
  }
  return blocks;
}

template <class T>
void read_mask(AttentionPlan<T>& plan) {
  const Mask mask = MaskSpec{.causal = plan.design.causal, .window = plan.layer.window}.build(
      plan.positions, plan.positions);
  const auto n = static_cast<Index>(plan.positions.size());
  for (Index i = 0; i < n; ++i) plan.seen.push_back(mask.keys_of(i, n));
  std::vector<VisibleKeys> seeing(static_cast<std::size_t>(n));  // by key: the queries
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      if (plan.seen[static_cast<std::size_t>(i)].first <= j &&
          j < plan.seen[static_cast<std::size_t>(i)].end) {
        VisibleKeys& queries = seeing[static_cast<std::size_t>(j)];
        if (queries.end == 0) queries.first = i;
        queries.end = i + 1;
      }
  plan.queries = blocks_of(plan.seen);
  plan.keys = blocks_of(seeing);
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

/// Where the encoding says which neighbours turn, by which angles. What rounds counts as if it did
/// not, as in derivatives.
template <class T>
void read_turns(const Encoding& encoding, AttentionPlan<T>& plan) {
  const TurningPairs pairs = encoding.turning_pairs();
  if (pairs.channels.empty() || !plan.doors.qk_transform) return;
  for (const auto& [a, b] : pairs.channels)
    if (a % 2 != 0 || b != a + 1) return;
  const Index n = static_cast<Index>(plan.positions.size()), d = plan.design.d_head;
  plan.turn_cos = Matrix<T>::Ones(n, plan.design.heads * d);
  plan.turn_sin = Matrix<T>::Zero(n, plan.design.heads * d);
  for (Index m = 0; m < n; ++m)
    for (std::size_t t = 0; t < pairs.channels.size(); ++t) {
      const CosSin turn = rotation_at(m, pairs.rounded_theta[t]);
      const double gain = pairs.is_muted(t) ? 0 : pairs.gain;
      for (Index a = pairs.channels[t].first; a < plan.turn_cos.cols(); a += d) {
        plan.turn_cos.row(m).segment(a, 2).setConstant(static_cast<T>(gain * turn.cos));
        plan.turn_sin(m, a) = static_cast<T>(-gain * turn.sin);
        plan.turn_sin(m, a + 1) = static_cast<T>(gain * turn.sin);
      }
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
  if (encoding && !linear) read_turns(*encoding, plan);
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

/// Calls use(row, first, n) for each query that sees n > 0 keys from `first` on.
template <class T, class Use>
void for_seen(const AttentionPlan<T>& plan, const Use& use) {
  for (std::size_t i = 0; i < plan.seen.size(); ++i) {
    const VisibleKeys& seen = plan.seen[i];
    if (seen.first < seen.end)
      use(static_cast<Index>(i), seen.first, static_cast<std::size_t>(seen.end - seen.first));
  }
}

/// The cells of map that are seen become those of a bᵀ. What other cells hold, nobody may read.
template <class T>
void form_map(TileProducts<T>& products, const AttentionPlan<T>& plan, const MatrixIn<T>& a,
              const MatrixIn<T>& b, Matrix<T>& map) {
  const auto& kernels = kernels::tile_kernels<T>();
  const auto panel = static_cast<Index>(kernels.panel);
  const Index n = b.rows(), inner = b.cols();
  if (map.rows() != n) map.setZero(n, n);
  const T* packed = products.packed_transpose(b);
  for (const SeenBlock& block : plan.queries) {
    const Index first = block.columns.first / panel * panel;
    kernels.multiply({.rows = static_cast<std::size_t>(block.count),
                      .inner = static_cast<std::size_t>(inner),
                      .columns = static_cast<std::size_t>(block.columns.end - first),
                      .a = a.row(block.first).data(),
                      .a_stride = a.outerStride(),
                      .b = packed + first * inner,
                      .b_stride = panel,
                      .b_panel = panel * inner,
                      .c = map.row(block.first).data() + first,
                      .c_stride = n});
  }
}

/// c becomes or gains map b, or mapᵀ b, of the blocks of its rows; map is 0 where nothing is seen.
template <class T>
void multiply_map(const std::vector<SeenBlock>& rows, const Matrix<T>& map, bool transposed,
                  const MatrixIn<T>& b, MatrixOut<T> c, Into into) {
  const auto& kernels = kernels::tile_kernels<T>();
  const Index n = map.cols(), stride = transposed ? 1 : n, step = transposed ? n : 1;
  for (const SeenBlock& block : rows)
    kernels.multiply({.rows = static_cast<std::size_t>(block.count),
                      .inner = static_cast<std::size_t>(block.columns.end - block.columns.first),
                      .columns = static_cast<std::size_t>(c.cols()),
                      .a = map.data() + block.first * stride + block.columns.first * step,
                      .a_stride = stride,
                      .a_step = step,
                      .b = b.data() + block.columns.first * b.outerStride(),
                      .b_stride = b.outerStride(),
                      .b_panel = static_cast<std::ptrdiff_t>(kernels.panel),
                      .c = c.row(block.first).data(),
                      .c_stride = c.outerStride(),
                      .add = into == Into::add});
}

}  // namespace

template <class T>
void AttentionBlock<T>::forward(const AttentionPlan<T>& plan, const AttentionWeights<T>& w,
                                const Matrix<T>& x, Matrix<T>& y) {
  heads_ = plan.design.heads;
  length_ = static_cast<Index>(plan.positions.size());
  sequences_ = x.rows() / length_;
  x_ = &x;
  linear_forward<T>(products_, w.q, x, projected_q_);
  linear_forward<T>(products_, w.k, x, projected_k_);
  linear_forward<T>(products_, w.v, x, v_);
  normalise(plan, w);
  out_.resize(x.rows(), heads_ * plan.design.d_value);
  maps_.resize(static_cast<std::size_t>(sequences_ * heads_));
  if (plan.linear) make_features(plan);
  for (Index s = 0; s < sequences_; ++s)
    for (Index h = 0; h < heads_; ++h)
      plan.linear ? attend_linearly(plan, s, h) : attend(plan, s, h);
  linear_forward<T>(products_, w.o, out_, y);
}

/// q_ and k_ from the projections: norm and position in their order.
template <class T>
void AttentionBlock<T>::normalise(const AttentionPlan<T>& plan, const AttentionWeights<T>& w) {
  const QkNormDesign& design = plan.design.qk_norm;
  const Index d = plan.design.d_head;
  const bool norms = design.over != QkNormSpan::none;
  const bool first = norms && !design.after_position;
  if (first) {
    normed_q_ = normed_heads<T>(design, w.q_norm, d, projected_q_);
    normed_k_ = normed_heads<T>(design, w.k_norm, d, projected_k_);
  } else {
    normed_q_.swap(projected_q_);
    normed_k_.swap(projected_k_);
  }
  turn(plan);
  if (!norms || first) return;
  turned_q_ = q_;
  turned_k_ = k_;
  q_ = normed_heads<T>(design, w.q_norm, d, turned_q_);
  k_ = normed_heads<T>(design, w.k_norm, d, turned_k_);
}

/// q_ and k_ from what is before position.
template <class T>
void AttentionBlock<T>::turn(const AttentionPlan<T>& plan) {
  if (plan.turn_cos.size() > 0) {
    turn_rows(plan, false, normed_q_, q_);
    turn_rows(plan, false, normed_k_, k_);
    return;
  }
  q_ = normed_q_;
  k_ = normed_k_;
  if (!plan.doors.qk_transform || plan.linear) return;
  const Index d = plan.design.d_head;
  for (Index at = 0; at < q_.cols(); at += d)
    plan.doors.qk_transform->transform_queries(plan.positions_of(x_->rows()), q_.middleCols(at, d));
  for (Index at = 0; at < k_.cols(); at += d)
    plan.doors.qk_transform->transform_keys(plan.positions_of(x_->rows()), k_.middleCols(at, d));
}

template <class T>
void AttentionBlock<T>::turn_rows(const AttentionPlan<T>& plan, bool back, const Matrix<T>& x,
                                  Matrix<T>& y) const {
  y.resize(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i)
    kernels::step_kernels<T>().turn(
        static_cast<std::size_t>(x.cols()), plan.turn_cos.row(i % length_).data(),
        plan.turn_sin.row(i % length_).data(), back, x.row(i).data(), y.row(i).data());
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

/// Of the content's term, without its scale, or of all terms where they read contents.
template <class T>
void AttentionBlock<T>::form_logits(const AttentionPlan<T>& plan, Index sequence, Index head,
                                    Matrix<T>& logits) {
  const Index d = plan.design.d_head;
  if (!plan.reads_contents())
    return form_map<T>(products_, plan, part(q_, sequence, head, d),
                       part(k_, sequence, plan.kv_head(head), d), logits);
  const Matrix<T> x = x_->middleRows(sequence * length_, length_);
  logits.setZero(length_, length_);
  for (const ScoreTerm<T>& term :
       plan.doors.score_terms->score_terms(score_inputs(plan, sequence, head, &x)))
    logits += term.logits;
}

/// Logits become weights; a row without a key to see becomes 0.
template <class T>
void AttentionBlock<T>::weigh(const AttentionPlan<T>& plan, Index head, Map& map) const {
  T scale = plan.reads_contents() ? T{1} : plan.content_scale;
  const Matrix<T>* bias = plan.bias.empty() ? nullptr : &plan.bias[static_cast<std::size_t>(head)];
  if (plan.changes_logits()) {
    map.weights *= scale;
    if (bias) map.weights += *bias;
    if (!plan.row_factors.empty()) scale_rows<T>(plan.row_factors, map.weights);
    cap_logits(plan.design.softcap, map.weights);
    if (plan.design.softcap > 0) map.logits = map.weights;
    scale = T{1};
    bias = nullptr;
  }
  hide(plan, map.weights);
  for_seen(plan, [&](Index row, Index first, std::size_t n) {
    kernels::step_kernels<T>().softmax(n, scale, bias ? bias->row(row).data() + first : nullptr,
                                       map.weights.row(row).data() + first);
  });
}

template <class T>
void AttentionBlock<T>::attend(const AttentionPlan<T>& plan, Index sequence, Index head) {
  const Index d_value = plan.design.d_value;
  Map& map = maps_[static_cast<std::size_t>(sequence * heads_ + head)];
  form_logits(plan, sequence, head, map.weights);
  weigh(plan, head, map);
  const auto v = part(v_, sequence, plan.kv_head(head), d_value);
  multiply_map<T>(plan.queries, map.weights, false, v, part(out_, sequence, head, d_value),
                  Into::set);
  if (!plan.doors.value_term) return;
  Matrix<T> out = part(out_, sequence, head, d_value);
  plan.doors.value_term->add_to_output(
      {.weights = map.weights, .v = v, .m = plan.positions, .n = plan.positions}, out);
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
      turn->transform_queries(plan.positions_of(x_->rows()), f.read_q);
      turn->transform_keys(plan.positions_of(x_->rows()), f.read_k);
    }
    f.plain_q = map.of_queries(f.read_q);
    f.plain_k = map.of_keys(f.read_k);
    f.above_q = f.plain_q;
    f.above_k = f.plain_k;
    if (turn && !before) {
      turn->transform_queries(plan.positions_of(x_->rows()), f.above_q);
      turn->transform_keys(plan.positions_of(x_->rows()), f.above_k);
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
  form_map<T>(products_, plan, f.above_q.middleRows(first, length_),
              f.above_k.middleRows(first, length_), map.weights);
  hide(plan, map.weights);
  if (!rotates_below(plan)) {
    form_map<T>(products_, plan, f.plain_q.middleRows(first, length_),
                f.plain_k.middleRows(first, length_), below_);
    hide(plan, below_);
  }
  map.normalizers = (rotates_below(plan) ? map.weights : below_).rowwise().sum();
  for (Index i = 0; i < length_; ++i)
    map.weights.row(i) *= map.normalizers(i, 0) == T{0} ? T{0} : 1 / map.normalizers(i, 0);
  multiply_map<T>(plan.queries, map.weights, false, part(v_, sequence, plan.kv_head(head), d_value),
                  part(out_, sequence, head, d_value), Into::set);
}

// ---- Back --------------------------------------------------------------------------------------

template <class T>
const Matrix<T>& AttentionBlock<T>::back(const AttentionPlan<T>& plan, const AttentionWeights<T>& w,
                                         const Matrix<T>& d_y, AttentionWeights<T>& d_w,
                                         EncodingGradient<T>& d_encoding) {
  pull_back_linear<T>(products_, w.o, out_, d_y, d_w.o, d_out_);
  d_q_.setZero(q_.rows(), q_.cols());
  d_k_.setZero(k_.rows(), k_.cols());
  d_v_.setZero(v_.rows(), v_.cols());
  d_x_.setZero(x_->rows(), x_->cols());
  d_encoding.bias.resize(plan.bias.size());
  if (plan.linear) clear_features();
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
  pull_back_linear<T>(products_, w.q, *x_, d_q_, d_w.q, d_x_, Into::add);
  pull_back_linear<T>(products_, w.k, *x_, d_k_, d_w.k, d_x_, Into::add);
  pull_back_linear<T>(products_, w.v, *x_, d_v_, d_w.v, d_x_, Into::add);
  return d_x_;
}

template <class T>
void AttentionBlock<T>::clear_features() {
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
  if (plan.turn_cos.size() > 0) {
    turn_rows(plan, true, d_q_, d_q_);
    turn_rows(plan, true, d_k_, d_k_);
    return;
  }
  if (!plan.doors.qk_transform) return;
  const Index d = plan.design.d_head;
  for (Index at = 0; at < q_.cols(); at += d)
    plan.doors.qk_transform->pull_queries_back(plan.positions_of(x_->rows()),
                                               normed_q_.middleCols(at, d), d_q_.middleCols(at, d),
                                               d_tables);
  for (Index at = 0; at < k_.cols(); at += d)
    plan.doors.qk_transform->pull_keys_back(plan.positions_of(x_->rows()),
                                            normed_k_.middleCols(at, d), d_k_.middleCols(at, d),
                                            d_tables);
}

template <class T>
void AttentionBlock<T>::attend_back(const AttentionPlan<T>& plan, Index sequence, Index head,
                                    EncodingGradient<T>& d_encoding) {
  const Index d_value = plan.design.d_value;
  const Map& map = maps_[static_cast<std::size_t>(sequence * heads_ + head)];
  const auto d_out = part(d_out_, sequence, head, d_value);
  const auto v = part(v_, sequence, plan.kv_head(head), d_value);
  auto d_v = part(d_v_, sequence, plan.kv_head(head), d_value);
  form_map<T>(products_, plan, d_out, v, d_map_);
  if (plan.doors.value_term)
    plan.doors.value_term->add_value_gradients(
        {.weights = map.weights, .v = v, .m = plan.positions, .n = plan.positions}, d_out, d_map_,
        d_v, d_encoding.tables);
  multiply_map<T>(plan.keys, map.weights, true, d_out, d_v, Into::add);
  pull_weights_back(plan, map);
  pull_logits_back(plan, sequence, head, d_encoding);
}

/// d_map_, ∂loss by weights, becomes that by logits; by q·k where it is a factor alone that lies
/// between them.
template <class T>
void AttentionBlock<T>::pull_weights_back(const AttentionPlan<T>& plan, const Map& map) {
  const bool scales = !plan.reads_contents() && plan.bias.empty() && !plan.changes_logits();
  const T scale = scales ? plan.content_scale : T{1};
  for_seen(plan, [&](Index row, Index first, std::size_t n) {
    kernels::step_kernels<T>().pull_softmax_back(n, scale, map.weights.row(row).data() + first,
                                                 d_map_.row(row).data() + first);
  });
  hide(plan, d_map_);
  if (!plan.changes_logits()) return;
  pull_cap_back(plan.design.softcap, map.logits, d_map_);
  if (!plan.row_factors.empty()) scale_rows<T>(plan.row_factors, d_map_);
}

/// What d_map_ says of the queries and keys of a head, and of its encoding.
template <class T>
void AttentionBlock<T>::pull_logits_back(const AttentionPlan<T>& plan, Index sequence, Index head,
                                         EncodingGradient<T>& d_encoding) {
  const Index d = plan.design.d_head, kv_head = plan.kv_head(head);
  auto d_q = part(d_q_, sequence, head, d), d_k = part(d_k_, sequence, kv_head, d);
  if (plan.reads_contents()) {
    const Matrix<T> x = x_->middleRows(sequence * length_, length_);
    Matrix<T> d_x = Matrix<T>::Zero(length_, x.cols());
    plan.doors.score_terms->add_score_gradients(
        score_inputs(plan, sequence, head, &x), d_map_,
        {.q = d_q, .k = d_k, .x = &d_x, .tables = d_encoding.tables});
    d_x_.middleRows(sequence * length_, length_) += d_x;
    return;
  }
  if (!plan.bias.empty()) {
    Matrix<T>& sum = d_encoding.bias[static_cast<std::size_t>(head)];
    if (sum.size() == 0) sum.setZero(length_, length_);
    sum += d_map_;
  }
  if (!plan.bias.empty() || plan.changes_logits()) d_map_ *= plan.content_scale;
  multiply_map<T>(plan.queries, d_map_, false, part(k_, sequence, kv_head, d), d_q, Into::add);
  multiply_map<T>(plan.keys, d_map_, true, part(q_, sequence, head, d), d_k, Into::add);
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
  const auto d_out = part(d_out_, sequence, head, d_value);
  form_map<T>(products_, plan, d_out, part(v_, sequence, kv_head, d_value), d_map_);
  multiply_map<T>(plan.keys, map.weights, true, d_out, part(d_v_, sequence, kv_head, d_value),
                  Into::add);
  hide(plan, d_map_);
  below_.resize(length_, length_);
  for (Index i = 0; i < length_; ++i) {
    const T inverse = map.normalizers(i, 0) == T{0} ? T{0} : 1 / map.normalizers(i, 0);
    below_.row(i).setConstant(-inverse * map.weights.row(i).dot(d_map_.row(i)));
    d_map_.row(i) *= inverse;
  }
  hide(plan, below_);
  const auto pull = [&](const Matrix<T>& d_product, const Matrix<T>& q, const Matrix<T>& k,
                        Matrix<T>& d_q, Matrix<T>& d_k) {
    multiply_map<T>(plan.queries, d_product, false, k.middleRows(first, length_),
                    d_q.middleRows(first, length_), Into::add);
    multiply_map<T>(plan.keys, d_product, true, q.middleRows(first, length_),
                    d_k.middleRows(first, length_), Into::add);
  };
  pull(d_map_, f.above_q, f.above_k, d.above_q, d.above_k);
  if (rotates_below(plan))
    pull(below_, f.above_q, f.above_k, d.above_q, d.above_k);
  else
    pull(below_, f.plain_q, f.plain_k, d.plain_q, d.plain_k);
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
      turn->pull_queries_back(plan.positions_of(x_->rows()), f.plain_q, d.above_q, d_tables);
      turn->pull_keys_back(plan.positions_of(x_->rows()), f.plain_k, d.above_k, d_tables);
    }
    d.plain_q += d.above_q;
    d.plain_k += d.above_k;
    d.read_q = plan.linear->features->pull_back(f.read_q, f.plain_q, d.plain_q);
    d.read_k = plan.linear->features->pull_back(f.read_k, f.plain_k, d.plain_k);
    const Index of_key = plan.kv_head(h) * width;
    if (turn && before) {
      turn->pull_queries_back(plan.positions_of(x_->rows()), q_.middleCols(h * width, width),
                              d.read_q, d_tables);
      turn->pull_keys_back(plan.positions_of(x_->rows()), k_.middleCols(of_key, width), d.read_k,
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
