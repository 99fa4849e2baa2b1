#include "core/transformer/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/multi_head.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "core/product.h"

namespace orrery {
namespace {

/// Rows of the vocabulary's logits that are held at once.
constexpr Index vocabulary_rows = 32;

template <class T>
void check_linear(const LinearWeights<T>& w, Index in, Index out, const char* name) {
  if (w.W.cols() == in && w.W.rows() == out && (w.b.size() == 0 || w.b.cols() == out)) return;
  throw UsageError(
      fmt::format("{} of shape [{}, {}] with {} biases", name, w.W.rows(), w.W.cols(), w.b.size()),
      fmt::format("takes {} channels and gives {}", in, out),
      "read it from the layer that the design describes");
}

/// x Wᵀ + b.
template <class T>
Matrix<T> linear(const LinearWeights<T>& w, const MatrixIn<T>& x) {
  Matrix<T> y = product_with_transpose<T>(x, w.W);
  if (w.b.size() > 0) y.rowwise() += w.b.row(0);
  return y;
}

/// c tanh(x/c).
template <class T>
void cap(double c, Matrix<T>& x) {
  if (c > 0) x = ((x.array() / static_cast<T>(c)).tanh() * static_cast<T>(c)).matrix();
}

/// One pass over one sequence.
template <class T>
class Pass {
 public:
  Pass(const TransformerDesign& design, WeightSource<T>& weights, const TokenSequence& tokens,
       const Probe<T>& probe, int threads)
      : design_(design), weights_(weights), tokens_(tokens), probe_(probe), threads_(threads) {
    const auto n = static_cast<Index>(tokens.ids.size());
    if (tokens.positions.empty())
      positions_ = consecutive_positions(n);
    else
      positions_.assign(tokens.positions.begin(), tokens.positions.end());
    check_positions(positions_, n);
    if (!tokens.segments.empty() && tokens.segments.size() != tokens.ids.size())
      throw UsageError(fmt::format("{} segments for {} tokens", tokens.segments.size(), n),
                       "every token has one", "give one per token, or none");
  }

  Matrix<T> run() {
    Matrix<T> x = embedded(*weights_.embedding());
    see({Quantity::hidden, 0}, x);
    for (std::size_t l = 0; l < design_.layers.size(); ++l) {
      layer_ = static_cast<int>(l);
      add_block(*weights_.layer(layer_), x);
      see({Quantity::hidden, layer_ + 1}, x);
    }
    if (!design_.final_norm) return x;
    return normalised<T>(design_.norm, weights_.head()->norm, x);
  }

 private:
  // ---- Embedding -------------------------------------------------------------------------------

  Matrix<T> embedded(const EmbeddingWeights<T>& w) const {
    Matrix<T> x = rows_of(w.tokens, tokens_.ids, "token", "the vocabulary");
    x *= static_cast<T>(design_.embedding_scale);
    if (w.segments.size() > 0) {
      if (tokens_.segments.empty())
        x.rowwise() += w.segments.row(0);
      else
        x += rows_of(w.segments, tokens_.segments, "segment", "the table of segments");
    }
    if (w.positions) input_term(*w.positions).add_to_input(positions_, x);
    if (design_.embedding_norm) x = normalised<T>(design_.norm, w.norm, x);
    return w.projection.W.size() > 0 ? linear<T>(w.projection, x) : x;
  }

  static const InputTerm<T>& input_term(const Encoding& encoding) {
    if (const auto* term = dynamic_cast<const InputTerm<T>*>(&encoding)) return *term;
    throw UsageError("an encoding at the embedding", "must add a vector to the input",
                     "give it to the layers, where attention asks it");
  }

  static Matrix<T> rows_of(const Matrix<T>& table, std::span<const std::int32_t> ids,
                           const char* what, const char* of) {
    Matrix<T> rows(static_cast<Index>(ids.size()), table.cols());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0 || ids[i] >= table.rows())
        throw UsageError(fmt::format("{} {} at [{}]", what, ids[i], i),
                         fmt::format("{} has {}", of, table.rows()),
                         fmt::format("give ids from 0 to {}", table.rows() - 1));
      rows.row(static_cast<Index>(i)) = table.row(ids[i]);
    }
    return rows;
  }

  // ---- Blocks ----------------------------------------------------------------------------------

  bool normalises_before() const {
    return design_.norm_place == NormPlace::before || design_.norm_place == NormPlace::around;
  }

  Matrix<T> norm(const NormWeights<T>& w, const Matrix<T>& x) const {
    return normalised<T>(design_.norm, w, x);
  }

  /// x ← x + A(x) + F(x), with the norms in their places.
  void add_block(const LayerWeights<T>& w, Matrix<T>& x) {
    if (design_.order == BlockOrder::sequential) {
      const Matrix<T> read = normalises_before() ? norm(w.before_attention, x) : x;
      add(attention(w, read), Quantity::attention, w.after_attention, x);
      const Matrix<T> next = normalises_before() ? norm(w.before_feed_forward, x) : x;
      add(feed_forward(w.feed_forward, next), Quantity::feed_forward, w.after_feed_forward, x);
      return;
    }
    const Matrix<T> read = norm(w.before_attention, x);
    const bool shared = design_.order == BlockOrder::parallel_shared;
    const Matrix<T> other = shared ? Matrix<T>{} : norm(w.before_feed_forward, x);
    Matrix<T> made = feed_forward(w.feed_forward, shared ? read : other);
    add(attention(w, read), Quantity::attention, {}, x);
    add(std::move(made), Quantity::feed_forward, {}, x);
  }

  /// x gains what a sub-layer has made.
  void add(Matrix<T> made, Quantity quantity, const NormWeights<T>& w, Matrix<T>& x) {
    const bool parallel = design_.order != BlockOrder::sequential;
    const NormPlace place = parallel ? NormPlace::before : design_.norm_place;
    if (place == NormPlace::inside || place == NormPlace::around) made = norm(w, made);
    made *= static_cast<T>(design_.residual_scale);
    see({quantity, layer_}, made);
    x += made;
    if (place == NormPlace::after) x = norm(w, x);
  }

  Matrix<T> feed_forward(const FeedForwardWeights<T>& w, const Matrix<T>& x) const {
    const FeedForwardDesign& design = design_.feed_forward;
    check_linear(w.up, x.cols(), w.up.W.rows(), "W_up");
    Matrix<T> up = linear<T>(w.up, x);
    if (design.gated) {
      check_linear(w.gate, x.cols(), up.cols(), "W_gate");
      Matrix<T> gate = linear<T>(w.gate, x);
      activate<T>(design.activation, gate);
      up.array() *= gate.array();
    } else {
      activate<T>(design.activation, up);
    }
    check_linear(w.down, up.cols(), x.cols(), "W_down");
    return linear<T>(w.down, up);
  }

  // ---- Attention -------------------------------------------------------------------------------

  /// Σ_h softmax(l_h) v_h W_o,hᵀ.
  Matrix<T> attention(const LayerWeights<T>& w, const Matrix<T>& x) {
    const AttentionDesign& a = design_.attention;
    check_linear(w.attention.q, x.cols(), a.heads * a.d_head, "W_q");
    check_linear(w.attention.k, x.cols(), a.kv_heads * a.d_head, "W_k");
    check_linear(w.attention.v, x.cols(), a.kv_heads * a.d_value, "W_v");
    check_linear(w.attention.o, a.heads * a.d_value, x.cols(), "W_o");
    Matrix<T> q = linear<T>(w.attention.q, x), k = linear<T>(w.attention.k, x);
    const Matrix<T> v = linear<T>(w.attention.v, x);
    SoftmaxDoors<T> doors = w.encoding ? SoftmaxDoors<T>::of(*w.encoding) : SoftmaxDoors<T>{};
    if (!a.qk_norm.after_position) normalise(w.attention, q, k);
    if (doors.qk_transform) turn(*doors.qk_transform, q, k);
    doors.qk_transform = nullptr;
    if (a.qk_norm.after_position) normalise(w.attention, q, k);
    for (Index g = 0; g < a.kv_heads; ++g) {
      see({Quantity::keys, layer_, static_cast<int>(g)}, head_of(k, g, a.d_head));
      see({Quantity::values, layer_, static_cast<int>(g)}, head_of(v, g, a.d_value));
    }
    return linear<T>(w.attention.o, heads(w, doors, x, q, k, v));
  }

  static Eigen::Ref<const Matrix<T>, 0, Eigen::OuterStride<>> head_of(const Matrix<T>& all,
                                                                      Index head, Index width) {
    return all.middleCols(head * width, width);
  }

  void normalise(const AttentionWeights<T>& w, Matrix<T>& q, Matrix<T>& k) const {
    const QkNormDesign& design = design_.attention.qk_norm;
    if (design.over == QkNormSpan::none) return;
    const auto each = [&](Matrix<T>& all, const NormWeights<T>& weights) {
      const Index width = design.over == QkNormSpan::layer ? all.cols() : design_.attention.d_head;
      for (Index at = 0; at < all.cols(); at += width)
        all.middleCols(at, width) =
            normalised<T>(design.norm, weights, all.middleCols(at, width)).eval();
    };
    each(q, w.q_norm);
    each(k, w.k_norm);
  }

  void turn(const QkTransform<T>& transform, Matrix<T>& q, Matrix<T>& k) const {
    const Index d = design_.attention.d_head;
    for (Index at = 0; at < q.cols(); at += d)
      transform.transform_queries(positions_, q.middleCols(at, d));
    for (Index at = 0; at < k.cols(); at += d)
      transform.transform_keys(positions_, k.middleCols(at, d));
  }

  /// The heads' outputs side by side. [N, heads·d_value]
  Matrix<T> heads(const LayerWeights<T>& w, const SoftmaxDoors<T>& doors, const Matrix<T>& x,
                  const Matrix<T>& q, const Matrix<T>& k, const Matrix<T>& v) {
    const AttentionDesign& a = design_.attention;
    const HeadGroups groups(a.heads, a.kv_heads);
    const Mask mask =
        MaskSpec{.causal = a.causal, .window = layer().window}.build(positions_, positions_);
    const Scoring scoring{
        .scale = a.scale, .rule = layer().rule, .softcap = a.softcap, .sinks = w.attention.sinks};
    Matrix<T> out(x.rows(), a.heads * a.d_value);
    const auto attend = [&](int h, int threads) {
      const Index g = groups.kv_head(h);
      const AttentionInputs<T> in{.q = head_of(q, h, a.d_head),
                                  .k = head_of(k, g, a.d_head),
                                  .v = head_of(v, g, a.d_value),
                                  .m = positions_,
                                  .n = positions_,
                                  .head = h,
                                  .segments = segments(w),
                                  .x = &x};
      const Index at = h * a.d_value;
      attention_by_rows<T>(in, doors, mask, scoring,
                           reader(h, threads, [&](Index first, auto& part) {
                             out.block(first, at, part.output.rows(), a.d_value) = part.output;
                           }));
    };
    if (wants_maps()) {
      for (int h = 0; h < groups.heads(); ++h) {
        see({Quantity::queries, layer_, h}, head_of(q, h, a.d_head));
        attend(h, threads_);
        see({Quantity::head_output, layer_, h}, head_of(out, h, a.d_value));
      }
      return out;
    }
    in_parallel(groups.heads(), threads_,
                [&] { return [&](std::ptrdiff_t h) { attend(static_cast<int>(h), 1); }; });
    for (int h = 0; h < groups.heads(); ++h) {
      see({Quantity::queries, layer_, h}, head_of(q, h, a.d_head));
      see({Quantity::head_output, layer_, h}, head_of(out, h, a.d_value));
    }
    return out;
  }

  bool wants_map(int head) const {
    return probe_.wanted({Quantity::logits, layer_, head}) ||
           probe_.wanted({Quantity::weights, layer_, head});
  }

  bool wants_maps() const {
    for (int h = 0; h < static_cast<int>(design_.attention.heads); ++h)
      if (wants_map(h)) return true;
    return false;
  }

  template <class Use>
  RowReader<T> reader(int head, int threads, const Use& use) {
    return {.use =
                [this, head, use](Index first, AttentionOutput<T>& part) {
                  if (part.logits.size() > 0) {
                    see({Quantity::logits, layer_, head}, part.logits, first);
                    see({Quantity::weights, layer_, head}, part.weights, first);
                  }
                  use(first, part);
                },
            .map = wants_map(head),
            .threads = threads};
  }

  SegmentsIn segments(const LayerWeights<T>& w) const {
    const bool reads = w.encoding && w.encoding->traits().reads_segments;
    return reads ? SegmentsIn{tokens_.segments, tokens_.segments} : SegmentsIn{};
  }

  const LayerDesign& layer() const { return design_.layers[static_cast<std::size_t>(layer_)]; }

  void see(const Site& site, const MatrixIn<T>& rows, Index first = 0) const {
    if (probe_.wanted(site)) probe_.see(site, first, rows);
  }

  const TransformerDesign& design_;
  WeightSource<T>& weights_;
  const TokenSequence& tokens_;
  const Probe<T>& probe_;
  int threads_;
  Positions positions_{};
  int layer_{0};
};

}  // namespace

template <class T>
Matrix<T> forward(const TransformerDesign& design, WeightSource<T>& weights,
                  const TokenSequence& tokens, const Probe<T>& probe, int threads) {
  return Pass<T>(design, weights, tokens, probe, threads).run();
}

template <class T>
Matrix<T> vocabulary_logits(const TransformerDesign& design, const HeadWeights<T>& head,
                            const MatrixIn<T>& hidden) {
  check_linear(head.vocabulary, hidden.cols(), head.vocabulary.W.rows(), "the vocabulary's W");
  Matrix<T> logits = linear<T>(head.vocabulary, hidden);
  logits *= static_cast<T>(design.logit_scale);
  cap(design.logit_softcap, logits);
  return logits;
}

template <class T>
std::vector<double> next_token_losses(const TransformerDesign& design, const HeadWeights<T>& head,
                                      const MatrixIn<T>& hidden,
                                      std::span<const std::int32_t> ids) {
  if (static_cast<Index>(ids.size()) != hidden.rows())
    throw UsageError(fmt::format("{} tokens for {} hidden states", ids.size(), hidden.rows()),
                     "every state has its token", "give the tokens of the same pass");
  std::vector<double> losses;
  for (Index first = 0; first + 1 < hidden.rows(); first += vocabulary_rows) {
    const Index rows = std::min(vocabulary_rows, hidden.rows() - 1 - first);
    const Matrix<T> logits = vocabulary_logits<T>(design, head, hidden.middleRows(first, rows));
    for (Index i = 0; i < rows; ++i) {
      const Eigen::Array<double, 1, Eigen::Dynamic> l =
          logits.row(i).template cast<double>().array();
      const double largest = l.maxCoeff();
      const std::int32_t next = ids[static_cast<std::size_t>(first + i + 1)];
      losses.push_back(std::log((l - largest).exp().sum()) + largest - l(next));
    }
  }
  return losses;
}

#define ORRERY_INSTANTIATE(T)                                                                     \
  template Matrix<T> forward(const TransformerDesign&, WeightSource<T>&, const TokenSequence&,    \
                             const Probe<T>&, int);                                               \
  template Matrix<T> vocabulary_logits(const TransformerDesign&, const HeadWeights<T>&,           \
                                       const MatrixIn<T>&);                                       \
  template std::vector<double> next_token_losses(const TransformerDesign&, const HeadWeights<T>&, \
                                                 const MatrixIn<T>&,                              \
                                                 std::span<const std::int32_t>)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
