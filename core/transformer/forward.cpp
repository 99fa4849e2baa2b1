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
       const PassOptions<T>& options)
      : design_(design),
        weights_(weights),
        tokens_(tokens),
        options_(options),
        cache_(options.cache ? *options.cache : own_cache_) {
    set_positions();
    set_segments();
    if (design.reads_memory != (options.memory != nullptr))
      throw UsageError(options.memory ? "an encoder's output" : "no encoder's output",
                       fmt::format("the design reads {}", design.reads_memory ? "one" : "none"),
                       "give it to decoders that attend to an encoder, and to no other model");
  }

  Matrix<T> run() {
    Matrix<T> x = embedded(*weights_.embedding());
    see({Quantity::hidden, 0}, x);
    for (std::size_t l = 0; l < design_.layers.size(); ++l) {
      layer_ = static_cast<int>(l);
      pass_layer(*weights_.layer(layer_), x);
      see({Quantity::hidden, layer_ + 1}, x);
    }
    return design_.final_norm ? norm(weights_.head()->norm, x) : x;
  }

 private:
  // ---- Tokens ----------------------------------------------------------------------------------

  void set_positions() {
    const auto n = static_cast<Index>(tokens_.ids.size());
    const auto before = static_cast<Index>(cache_.positions.size());
    if (tokens_.positions.empty())
      for (Index i = 0; i < n; ++i) positions_.push_back(before + i);
    else
      positions_.assign(tokens_.positions.begin(), tokens_.positions.end());
    check_positions(positions_, n);
    cache_.positions.insert(cache_.positions.end(), positions_.begin(), positions_.end());
    cache_.keys.resize(design_.layers.size());
    cache_.values.resize(design_.layers.size());
  }

  void set_segments() {
    if (!tokens_.segments.empty() && tokens_.segments.size() != tokens_.ids.size())
      throw UsageError(
          fmt::format("{} segments for {} tokens", tokens_.segments.size(), tokens_.ids.size()),
          "every token has one", "give one per token, or none");
    cache_.segments.insert(cache_.segments.end(), tokens_.segments.begin(), tokens_.segments.end());
    if (!cache_.segments.empty() && cache_.segments.size() != cache_.positions.size())
      throw UsageError(fmt::format("segments for {} of {} tokens", cache_.segments.size(),
                                   cache_.positions.size()),
                       "all tokens of a sequence have one, or none has",
                       "give them to every pass over the sequence, or to none");
  }

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
    if (design_.embedding_norm == EmbeddingNorm::before_projection) x = norm(w.norm, x);
    if (w.projection.W.size() > 0) x = linear<T>(w.projection, x);
    return design_.embedding_norm == EmbeddingNorm::behind_projection ? norm(w.norm, x) : x;
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

  Matrix<T> norm(const NormWeights<T>& w, const Matrix<T>& x) const {
    return normalised<T>(design_.norm, w, x);
  }

  /// What a sub-layer reads: N(x) or x.
  Matrix<T> read_by(const NormWeights<T>& w, const Matrix<T>& x) const {
    const NormPlace place = design_.norm_place;
    return place == NormPlace::after || place == NormPlace::inside ? x : norm(w, x);
  }

  void pass_layer(const LayerWeights<T>& w, Matrix<T>& x) {
    if (!layer().convolution) return add_block(w, x);
    Matrix<T> made = convolved(w.convolution, x);
    activate<T>(*layer().convolution, made);
    add_block(w, x);
    x = norm(w.convolution.norm, x + made);
  }

  static Matrix<T> convolved(const ConvolutionWeights<T>& w, const Matrix<T>& x) {
    const auto taps = static_cast<Index>(w.W.size());
    Matrix<T> y = Matrix<T>::Zero(x.rows(), taps == 0 ? x.cols() : w.W.front().rows());
    for (Index t = 0; t < taps; ++t) {
      const Index shift = t - (taps - 1) / 2;
      const Index first = shift < 0 ? -shift : 0;
      const Index rows = x.rows() - (shift < 0 ? -shift : shift);
      if (rows < 1) continue;
      y.middleRows(first, rows) += product_with_transpose<T>(x.middleRows(first + shift, rows),
                                                             w.W[static_cast<std::size_t>(t)]);
    }
    if (w.b.size() > 0) y.rowwise() += w.b.row(0);
    return y;
  }

  /// x ← x + A(x) + F(x), with the norms in their places.
  void add_block(const LayerWeights<T>& w, Matrix<T>& x) {
    if (design_.order != BlockOrder::sequential) return add_parallel(w, x);
    Matrix<T> read = layer().attention_norm ? read_by(w.before_attention, x) : x;
    add(attention(w, read), Quantity::attention, w.after_attention, read, x);
    if (design_.reads_memory) {
      read = read_by(w.before_memory, x);
      add(attention_to_memory(w.memory, read), Quantity::memory, {}, read, x);
    }
    read = read_by(w.before_feed_forward, x);
    add(feed_forward(w.feed_forward, read), Quantity::feed_forward, w.after_feed_forward, read, x);
  }

  void add_parallel(const LayerWeights<T>& w, Matrix<T>& x) {
    const Matrix<T> read = norm(w.before_attention, x);
    const bool shared = design_.order == BlockOrder::parallel_shared;
    Matrix<T> made = feed_forward(w.feed_forward, shared ? read : norm(w.before_feed_forward, x));
    add(attention(w, read), Quantity::attention, {}, read, x);
    add(std::move(made), Quantity::feed_forward, {}, read, x);
  }

  /// x gains what a sub-layer has made of `read`.
  void add(Matrix<T> made, Quantity quantity, const NormWeights<T>& w, const Matrix<T>& read,
           Matrix<T>& x) {
    const NormPlace place = design_.norm_place;
    if (place == NormPlace::inside || place == NormPlace::around) made = norm(w, made);
    made *= static_cast<T>(design_.residual_scale);
    see({quantity, layer_}, made);
    if (place == NormPlace::through) x = read;
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

  /// Queries, keys and values of all heads side by side, with the encoding that is still to act.
  struct Heads {
    SoftmaxDoors<T> doors{};
    Matrix<T> q{};
    const Matrix<T>& k;
    const Matrix<T>& v;
    PositionsIn n{};  ///< of the keys
    SegmentsIn segments{};
    Mask mask{};
    const AttentionWeights<T>& weights;
    bool of_memory{false};
  };

  /// Σ_h softmax(l_h) v_h W_o,hᵀ.
  Matrix<T> attention(const LayerWeights<T>& w, const Matrix<T>& x) {
    const AttentionDesign& a = design_.attention;
    check_attention(w.attention, x.cols(), x.cols());
    Matrix<T> q = linear<T>(w.attention.q, x), k = linear<T>(w.attention.k, x);
    SoftmaxDoors<T> doors = w.encoding ? SoftmaxDoors<T>::of(*w.encoding) : SoftmaxDoors<T>{};
    if (!a.qk_norm.after_position) normalise(w.attention, q, k);
    if (doors.qk_transform) turn(*doors.qk_transform, q, k);
    doors.qk_transform = nullptr;
    if (a.qk_norm.after_position) normalise(w.attention, q, k);
    const auto l = static_cast<std::size_t>(layer_);
    append(std::move(k), cache_.keys[l]);
    append(linear<T>(w.attention.v, x), cache_.values[l]);
    const Heads heads{.doors = doors,
                      .q = std::move(q),
                      .k = cache_.keys[l],
                      .v = cache_.values[l],
                      .n = cache_.positions,
                      .segments = segments(w),
                      .mask = MaskSpec{.causal = a.causal, .window = layer().window}.build(
                          positions_, cache_.positions),
                      .weights = w.attention};
    return linear<T>(w.attention.o, outputs(heads));
  }

  /// The same with an encoder's output for keys and values, all of it in sight and without position.
  Matrix<T> attention_to_memory(const AttentionWeights<T>& w, const Matrix<T>& x) {
    const Matrix<T>& memory = *options_.memory;
    check_attention(w, x.cols(), memory.cols());
    const Matrix<T> k = linear<T>(w.k, memory), v = linear<T>(w.v, memory);
    const Positions n = consecutive_positions(memory.rows());
    const Heads heads{
        .q = linear<T>(w.q, x), .k = k, .v = v, .n = n, .weights = w, .of_memory = true};
    return linear<T>(w.o, outputs(heads));
  }

  void check_attention(const AttentionWeights<T>& w, Index d_model, Index d_memory) const {
    const AttentionDesign& a = design_.attention;
    check_linear(w.q, d_model, a.heads * a.d_head, "W_q");
    check_linear(w.k, d_memory, a.kv_heads * a.d_head, "W_k");
    check_linear(w.v, d_memory, a.kv_heads * a.d_value, "W_v");
    check_linear(w.o, a.heads * a.d_value, d_model, "W_o");
  }

  static void append(Matrix<T> rows, Matrix<T>& all) {
    if (all.size() == 0) {
      all = std::move(rows);
      return;
    }
    const Index before = all.rows();
    all.conservativeResize(before + rows.rows(), Eigen::NoChange);
    all.bottomRows(rows.rows()) = rows;
  }

  static MatrixIn<T> head_of(const Matrix<T>& all, Index head, Index width) {
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
  Matrix<T> outputs(const Heads& all) {
    const AttentionDesign& a = design_.attention;
    Matrix<T> out(all.q.rows(), a.heads * a.d_value);
    see_keys_and_values(all);
    // A map is seen as it is made, so heads that have one follow each other.
    const bool in_turn = wants_maps(all.of_memory);
    const int heads = static_cast<int>(a.heads);
    if (in_turn)
      for (int h = 0; h < heads; ++h) attend(all, h, options_.threads, out);
    else
      in_parallel(heads, options_.threads, [&] {
        return [&](std::ptrdiff_t h) { attend(all, static_cast<int>(h), 1, out); };
      });
    for (int h = 0; h < heads; ++h) {
      see({Quantity::queries, layer_, h, all.of_memory}, head_of(all.q, h, a.d_head));
      see({Quantity::head_output, layer_, h, all.of_memory}, head_of(out, h, a.d_value));
    }
    return out;
  }

  void attend(const Heads& all, int h, int threads, Matrix<T>& out) const {
    const AttentionDesign& a = design_.attention;
    const Index g = HeadGroups(a.heads, a.kv_heads).kv_head(h);
    const AttentionInputs<T> in{.q = head_of(all.q, h, a.d_head),
                                .k = head_of(all.k, g, a.d_head),
                                .v = head_of(all.v, g, a.d_value),
                                .m = positions_,
                                .n = all.n,
                                .head = h,
                                .segments = all.segments};
    const Scoring scoring{.scale = layer().scale,
                          .rule = layer().rule,
                          .softcap = a.softcap,
                          .sinks = all.weights.sinks};
    const auto use = [&](Index first, AttentionOutput<T>& part) {
      if (part.logits.size() > 0) {
        see({Quantity::logits, layer_, h, all.of_memory}, part.logits, first);
        see({Quantity::weights, layer_, h, all.of_memory}, part.weights, first);
      }
      out.block(first, h * a.d_value, part.output.rows(), a.d_value) = part.output;
    };
    attention_by_rows<T>(in, all.doors, all.mask, scoring,
                         {.use = use, .map = wants_map(h, all.of_memory), .threads = threads});
  }

  void see_keys_and_values(const Heads& all) const {
    const AttentionDesign& a = design_.attention;
    for (Index g = 0; g < a.kv_heads; ++g) {
      const int head = static_cast<int>(g);
      see({Quantity::keys, layer_, head, all.of_memory}, head_of(all.k, g, a.d_head));
      see({Quantity::values, layer_, head, all.of_memory}, head_of(all.v, g, a.d_value));
    }
  }

  bool wants_map(int head, bool of_memory) const {
    return options_.probe.wanted({Quantity::logits, layer_, head, of_memory}) ||
           options_.probe.wanted({Quantity::weights, layer_, head, of_memory});
  }

  bool wants_maps(bool of_memory) const {
    for (int h = 0; h < static_cast<int>(design_.attention.heads); ++h)
      if (wants_map(h, of_memory)) return true;
    return false;
  }

  SegmentsIn segments(const LayerWeights<T>& w) const {
    const bool reads = w.encoding && w.encoding->traits().reads_segments;
    return reads ? SegmentsIn{tokens_.segments, cache_.segments} : SegmentsIn{};
  }

  const LayerDesign& layer() const { return design_.layers[static_cast<std::size_t>(layer_)]; }

  void see(const Site& site, const MatrixIn<T>& rows, Index first = 0) const {
    if (options_.probe.wanted(site)) options_.probe.see(site, first, rows);
  }

  const TransformerDesign& design_;
  WeightSource<T>& weights_;
  const TokenSequence& tokens_;
  const PassOptions<T>& options_;
  KeyValueCache<T> own_cache_{};
  KeyValueCache<T>& cache_;
  Positions positions_{};  ///< of this pass' tokens
  int layer_{0};
};

}  // namespace

template <class T>
Matrix<T> forward(const TransformerDesign& design, WeightSource<T>& weights,
                  const TokenSequence& tokens, const PassOptions<T>& options) {
  return Pass<T>(design, weights, tokens, options).run();
}

template <class T>
Matrix<T> vocabulary_logits(const TransformerDesign& design, const HeadWeights<T>& head,
                            const MatrixIn<T>& hidden) {
  Matrix<T> x = hidden;
  if (design.head_transform) {
    check_linear(head.transform, x.cols(), head.transform.W.rows(), "the head's W");
    x = linear<T>(head.transform, x);
    activate<T>(*design.head_transform, x);
    x = normalised<T>(design.norm, head.transform_norm, x);
  }
  check_linear(head.vocabulary, x.cols(), head.vocabulary.W.rows(), "the vocabulary's W");
  Matrix<T> logits = linear<T>(head.vocabulary, x);
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
                             const PassOptions<T>&);                                              \
  template Matrix<T> vocabulary_logits(const TransformerDesign&, const HeadWeights<T>&,           \
                                       const MatrixIn<T>&);                                       \
  template std::vector<double> next_token_losses(const TransformerDesign&, const HeadWeights<T>&, \
                                                 const MatrixIn<T>&,                              \
                                                 std::span<const std::int32_t>)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
