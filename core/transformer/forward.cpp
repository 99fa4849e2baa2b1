#include "core/transformer/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/attention/multi_head.h"
#include "core/attention/weight_rules.h"
#include "core/errors.h"
#include "core/kernels/tiles.h"
#include "core/parallel.h"
#include "core/product.h"
#include "core/transformer/linear.h"
#include "core/transformer/norm.h"

namespace orrery {
namespace {

/// Tokens of the vocabulary whose vectors are held at once.
constexpr Index tokens_at_once = 4096;

template <class T>
void check_linear(const LinearWeights<T>& w, Index in, Index out, const char* name) {
  if (w.W.cols() == in && w.W.rows() == out && (w.b.size() == 0 || w.b.cols() == out)) return;
  throw UsageError(
      fmt::format("{} of shape [{}, {}] with {} biases", name, w.W.rows(), w.W.cols(), w.b.size()),
      fmt::format("takes {} channels and gives {}", in, out),
      "read it from the layer that the design describes");
}

/// Throws NotFiniteError, naming the first token with an infinity or a NaN in its row.
template <class T>
void check_finite(const MatrixIn<T>& rows, const std::string& what) {
  if (rows.allFinite()) return;
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index j = 0; j < rows.cols(); ++j)
      if (!std::isfinite(rows(i, j)))
        throw NotFiniteError(fmt::format("{}: {} at token {}, channel {}", what, rows(i, j), i, j),
                             fmt::format("fp{} holds no such number", 8 * sizeof(T)),
                             "take precision=fp64 where fp32 overflows; else the weights are not "
                             "those of a model that runs");
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
        edits_(options.edits, design),
        cache_(options.cache ? *options.cache : own_cache_) {
    set_positions();
    set_segments();
    check_moved_keys();
    if (design.reads_memory != (options.memory != nullptr))
      throw UsageError(options.memory ? "an encoder's output" : "no encoder's output",
                       fmt::format("the design reads {}", design.reads_memory ? "one" : "none"),
                       "give it to decoders that attend to an encoder, and to no other model");
  }

  Matrix<T> run() {
    Matrix<T> x = options_.hidden ? *options_.hidden : embedded(*weights_.embedding());
    check_start(x);
    check_finite<T>(x, "the embedding");
    hand_out({Quantity::hidden, options_.first_layer}, x);
    const bool is_whole = options_.end_layer < 0;
    const int end = is_whole ? layers() : options_.end_layer;
    for (layer_ = options_.first_layer; layer_ < end; ++layer_) {
      if (options_.before_layer) options_.before_layer();
      norm_ = edits_.norm(layer_, design_.norm);
      pass_layer(*weights_.layer(layer_), x);
      hand_out({Quantity::hidden, layer_ + 1}, x);
    }
    if (!is_whole) return x;
    edits_.require_all_applied();
    if (!design_.final_norm) return x;
    norm_ = design_.norm;
    x = norm(weights_.head()->norm, x);
    check_finite<T>(x, "the last norm");
    return x;
  }

 private:
  int layers() const { return static_cast<int>(design_.layers.size()); }

  void check_start(const Matrix<T>& x) const {
    const int first = options_.first_layer;
    if (options_.end_layer > layers() || (options_.end_layer >= 0 && options_.end_layer < first))
      throw UsageError(fmt::format("a pass of the layers {} to {}", first, options_.end_layer - 1),
                       fmt::format("the model has {} layers", layers()),
                       "end behind the first, and at the last at most");
    if (first >= 0 && first <= layers() && (options_.hidden != nullptr || first == 0) &&
        x.rows() == static_cast<Index>(tokens_.ids.size()))
      return;
    throw UsageError(fmt::format("{} hidden states in front of layer {}", x.rows(), first),
                     "a pass goes on from one state per token, in front of a layer that it has",
                     "give what an earlier pass had there");
  }

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

  void check_moved_keys() const {
    const std::span<const Index> moved = options_.moved_keys;
    if (moved.empty()) return;
    const auto n = static_cast<Index>(tokens_.ids.size());
    const bool are_keys =
        std::all_of(moved.begin(), moved.end(), [n](Index j) { return j >= 0 && j < n; });
    if (are_keys && moved.size() == tokens_.ids.size() && cache_.positions.size() == moved.size())
      return;
    throw UsageError(fmt::format("{} moved keys of {} tokens", moved.size(), n),
                     "each key of a sequence without a cache has the content of one of them",
                     "name a key for each token");
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

  Matrix<T> embedded(const EmbeddingWeights<T>& w) {
    check_ids(tokens_.ids, weights_.vocabulary_size(), "token", "the vocabulary");
    Matrix<T> x = weights_.token_vectors(tokens_.ids);
    x *= static_cast<T>(design_.embedding_scale);
    if (w.segments.size() > 0) add_segments(w.segments, x);
    if (w.positions) add_positions(w, x);
    if (design_.embedding_norm == EmbeddingNorm::before_projection) x = norm(w.norm, x);
    if (w.projection.W.size() > 0) x = times(w.projection, x);
    return design_.embedding_norm == EmbeddingNorm::behind_projection ? norm(w.norm, x) : x;
  }

  void add_positions(const EmbeddingWeights<T>& w, Matrix<T>& x) {
    if (!w.pad) {
      input_term(*w.positions).add_to_input(edits_.embedding_positions(positions_), x);
      return;
    }
    const Matrix<T> contents = x;
    Positions counted = positions_;
    Position pads = 0;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      if (tokens_.ids[i] == *w.pad) ++pads;
      if (tokens_.positions.empty()) counted[i] = std::max<Position>(0, counted[i] - pads);
    }
    input_term(*w.positions).add_to_input(edits_.embedding_positions(counted), x);
    for (Index i = 0; i < x.rows(); ++i)
      if (tokens_.ids[static_cast<std::size_t>(i)] == *w.pad)
        x.row(i) = contents.row(i) + w.pad_position;
  }

  static const InputTerm<T>& input_term(const Encoding& encoding) {
    if (const auto* term = dynamic_cast<const InputTerm<T>*>(&encoding)) return *term;
    throw UsageError("an encoding at the embedding", "must add a vector to the input",
                     "give it to the layers, where attention asks it");
  }

  static void check_ids(std::span<const std::int32_t> ids, Index count, const char* what,
                        const char* of) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (ids[i] < 0 || ids[i] >= count)
        throw UsageError(fmt::format("{} {} at [{}]", what, ids[i], i),
                         fmt::format("{} has {}", of, count),
                         fmt::format("give ids from 0 to {}", count - 1));
  }

  void add_segments(const Matrix<T>& table, Matrix<T>& x) const {
    if (tokens_.segments.empty()) {
      x.rowwise() += table.row(0);
      return;
    }
    check_ids(tokens_.segments, table.rows(), "segment", "the table of segments");
    for (std::size_t i = 0; i < tokens_.segments.size(); ++i)
      x.row(static_cast<Index>(i)) += table.row(tokens_.segments[i]);
  }

  // ---- Blocks ----------------------------------------------------------------------------------

  Matrix<T> times(const LinearWeights<T>& w, const MatrixIn<T>& x) const {
    return linear<T>(w, x, options_.threads);
  }

  Matrix<T> norm(const NormWeights<T>& w, const Matrix<T>& x) const {
    Matrix<T> out(x.rows(), x.cols());
    for_rows(x, [&](Index first, Index count) {
      orrery::normalise<T>(norm_, w, x.middleRows(first, count), out.middleRows(first, count));
    });
    return out;
  }

  /// Calls use(first, count) for parts of the rows of x, each by a thread where that is worth it.
  template <class Use>
  void for_rows(const Matrix<T>& x, const Use& use) const {
    constexpr Index worth_a_thread = 1 << 14;
    const Index parts =
        std::clamp<Index>(x.size() / worth_a_thread, 1, std::max(1, options_.threads));
    in_parallel(parts, options_.threads, [&] {
      return [&](std::ptrdiff_t part) {
        const Index first = part * x.rows() / parts;
        use(first, (part + 1) * x.rows() / parts - first);
      };
    });
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
    check_layer(made, quantity == Quantity::attention      ? "attention"
                      : quantity == Quantity::feed_forward ? "the feed-forward"
                                                           : "attention to the encoder");
    hand_out({quantity, layer_}, made);
    if (place == NormPlace::through) x = read;
    x += made;
    if (place == NormPlace::after) x = norm(w, x);
    check_layer(x, "the residual stream");
  }

  void check_layer(const Matrix<T>& rows, const char* what) const {
    if (!rows.allFinite()) check_finite<T>(rows, fmt::format("{} of layer {}", what, layer_));
  }

  Matrix<T> feed_forward(const FeedForwardWeights<T>& w, const Matrix<T>& x) const {
    const FeedForwardDesign& design = design_.feed_forward;
    check_linear(w.up, x.cols(), w.up.W.rows(), "W_up");
    Matrix<T> up = times(w.up, x);
    if (design.gated) {
      check_linear(w.gate, x.cols(), up.cols(), "W_gate");
      Matrix<T> gate = times(w.gate, x);
      for_rows(up, [&](Index first, Index count) {
        activate<T>(design.activation, gate.middleRows(first, count));
        up.middleRows(first, count).array() *= gate.middleRows(first, count).array();
      });
    } else {
      for_rows(up, [&](Index first, Index count) {
        activate<T>(design.activation, up.middleRows(first, count));
      });
    }
    check_linear(w.down, up.cols(), x.cols(), "W_down");
    return times(w.down, up);
  }

  // ---- Attention -------------------------------------------------------------------------------

  /// Queries, keys and values of all heads side by side, with the encoding that is still to act.
  struct Heads {
    SoftmaxDoors<T> doors{};
    Matrix<T> q{};
    const Matrix<T>& k;
    const Matrix<T>& v;
    Matrix<T> moved_k{};  ///< of PassOptions::moved_keys, or empty
    PositionsIn m{};      ///< of the queries
    PositionsIn n{};      ///< of the keys
    SegmentsIn segments{};
    Mask mask{};
    const AttentionWeights<T>& weights;
    bool of_memory{false};
  };

  /// Σ_h softmax(l_h) v_h W_o,hᵀ.
  Matrix<T> attention(const LayerWeights<T>& w, const Matrix<T>& x) {
    const AttentionDesign& a = design_.attention;
    check_attention(w.attention, x.cols(), x.cols());
    Matrix<T> q = times(w.attention.q, x), k = times(w.attention.k, x);
    check_layer(q, "q");
    check_layer(k, "k");
    const std::shared_ptr<const Encoding> encoding = edits_.encoding(layer_, w.encoding);
    SoftmaxDoors<T> doors = encoding ? SoftmaxDoors<T>::of(*encoding) : SoftmaxDoors<T>{};
    const bool has_encoding = encoding != nullptr;
    const Positions m = edits_.positions(layer_, positions_, has_encoding);
    const Positions n = edits_.positions(layer_, cache_.positions, has_encoding);
    Positions of_keys = m;
    if (!options_.moved_keys.empty()) append_moved(k, of_keys);
    if (!a.qk_norm.after_position) normalise(w.attention, q, k);
    if (doors.qk_transform) turn(*doors.qk_transform, encoding->turning_pairs(), m, of_keys, q, k);
    doors.qk_transform = nullptr;
    if (a.qk_norm.after_position) normalise(w.attention, q, k);
    const Matrix<T> moved = k.bottomRows(k.rows() - q.rows());
    k.conservativeResize(q.rows(), Eigen::NoChange);
    const auto l = static_cast<std::size_t>(layer_);
    append(std::move(k), cache_.keys[l]);
    append(times(w.attention.v, x), cache_.values[l]);
    const Heads heads{.doors = doors,
                      .q = std::move(q),
                      .k = cache_.keys[l],
                      .v = cache_.values[l],
                      .moved_k = moved,
                      .m = m,
                      .n = n,
                      .segments = segments(w),
                      .mask = MaskSpec{.causal = a.causal, .window = layer().window}.build(
                          positions_, cache_.positions),
                      .weights = w.attention};
    return times(w.attention.o, outputs(heads));
  }

  /// The keys whose contents are moved, behind the model's own and each in its own place.
  void append_moved(Matrix<T>& k, Positions& positions) const {
    const Index n = k.rows();
    k.conservativeResize(2 * n, Eigen::NoChange);
    for (Index j = 0; j < n; ++j)
      k.row(n + j) = k.row(options_.moved_keys[static_cast<std::size_t>(j)]);
    const Positions own = positions;
    positions.insert(positions.end(), own.begin(), own.end());
  }

  /// The same with an encoder's output for keys and values, all of it in sight and without position.
  Matrix<T> attention_to_memory(const AttentionWeights<T>& w, const Matrix<T>& x) {
    const Matrix<T>& memory = *options_.memory;
    check_attention(w, x.cols(), memory.cols());
    const Matrix<T> k = times(w.k, memory), v = times(w.v, memory);
    const Positions n = consecutive_positions(memory.rows());
    const Heads heads{.q = times(w.q, x),
                      .k = k,
                      .v = v,
                      .m = positions_,
                      .n = n,
                      .weights = w,
                      .of_memory = true};
    return times(w.o, outputs(heads));
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
    QkNormDesign design = design_.attention.qk_norm;
    if (design.over == QkNormSpan::none) return;
    design.norm = edits_.norm(layer_, design.norm);
    const Index d = design_.attention.d_head;
    q = normed_heads<T>(design, w.q_norm, d, q);
    k = normed_heads<T>(design, w.k_norm, d, k);
  }

  /// Queries and keys turned by position, head by head.
  void turn(const QkTransform<T>& transform, const TurningPairs& pairs, PositionsIn m,
            PositionsIn n, Matrix<T>& q, Matrix<T>& k) {
    const Turn<T>* written = edits_.turn(layer_);
    const auto each = [&](Matrix<T>& all, PositionsIn positions, const auto& by_encoding) {
      const Index d = design_.attention.d_head;
      const Matrix<T> before = edits_.changes_pairs(layer_) ? all : Matrix<T>();
      for (Index at = 0; at < all.cols(); at += d) {
        MatrixOut<T> x = all.middleCols(at, d);
        if (written)
          (*written)(layer_, static_cast<int>(at / d), positions, x);
        else
          by_encoding(x);
        if (before.size() > 0) edits_.change_pairs(layer_, pairs, before.middleCols(at, d), x);
      }
    };
    each(q, m, [&](MatrixOut<T> x) { transform.transform_queries(m, x); });
    each(k, n, [&](MatrixOut<T> x) { transform.transform_keys(n, x); });
  }

  /// The heads' outputs side by side. [N, heads·d_value]
  Matrix<T> outputs(const Heads& all) {
    const AttentionDesign& a = design_.attention;
    Matrix<T> out(all.q.rows(), a.heads * a.d_value);
    see_queries_keys_and_values(all);
    const int heads = static_cast<int>(a.heads);
    // A map is seen as it is made.
    const bool in_turn = !options_.probe.heads_at_once && wants_maps(all.of_memory);
    const int at_once = in_turn ? 1 : heads;
    const int threads = std::max(1, options_.threads / at_once);
    in_parallel(heads, in_turn ? 1 : options_.threads, [&] {
      return [&](std::ptrdiff_t h) { attend(all, static_cast<int>(h), threads, out); };
    });
    for (int h = 0; h < heads; ++h)
      hand_out({Quantity::head_output, layer_, h, all.of_memory},
               out.middleCols(h * a.d_value, a.d_value));
    return out;
  }

  void attend(const Heads& all, int h, int threads, Matrix<T>& out) const {
    const AttentionDesign& a = design_.attention;
    const Index g = HeadGroups(a.heads, a.kv_heads).kv_head(h);
    const AttentionInputs<T> in{.q = head_of(all.q, h, a.d_head),
                                .k = head_of(all.k, g, a.d_head),
                                .v = head_of(all.v, g, a.d_value),
                                .m = all.m,
                                .n = all.n,
                                .head = h,
                                .segments = all.segments};
    const Scoring scoring{.scale = layer().scale,
                          .rule = layer().rule,
                          .softcap = a.softcap,
                          .sinks = all.weights.sinks};
    const auto use = [&](Index first, AttentionOutput<T>& part) {
      see_map({.layer = layer_, .head = h, .of_memory = all.of_memory}, first, part);
      out.block(first, h * a.d_value, part.output.rows(), a.d_value) = part.output;
    };
    const bool moves = all.moved_k.size() > 0 &&
                       options_.probe.wanted({Quantity::moved_logits, layer_, h, all.of_memory});
    const MatrixIn<T> moved_k = head_of(moves ? all.moved_k : all.k, g, a.d_head);
    attention_by_rows<T>(in, all.doors, all.mask, scoring,
                         {.use = use,
                          .map = wants_map(h, all.of_memory),
                          .threads = threads,
                          .in_sight = options_.probe.in_sight,
                          .other_k = moves ? &moved_k : nullptr});
  }

  void see_map(Site site, Index first, const AttentionOutput<T>& part) const {
    const auto see_as = [&](Quantity quantity, const Matrix<T>& rows) {
      site.quantity = quantity;
      if (rows.size() > 0) see(site, rows, first);
    };
    see_as(Quantity::logits, part.logits);
    see_as(Quantity::weights, part.weights);
    see_as(Quantity::moved_logits, part.other_logits);
  }

  void see_queries_keys_and_values(const Heads& all) const {
    const AttentionDesign& a = design_.attention;
    for (int h = 0; h < static_cast<int>(a.heads); ++h)
      see({Quantity::queries, layer_, h, all.of_memory}, head_of(all.q, h, a.d_head));
    for (Index g = 0; g < a.kv_heads; ++g) {
      const int head = static_cast<int>(g);
      see({Quantity::keys, layer_, head, all.of_memory}, head_of(all.k, g, a.d_head));
      see({Quantity::values, layer_, head, all.of_memory}, head_of(all.v, g, a.d_value));
    }
  }

  bool wants_map(int head, bool of_memory) const {
    return options_.probe.wanted({Quantity::logits, layer_, head, of_memory}) ||
           options_.probe.wanted({Quantity::weights, layer_, head, of_memory}) ||
           options_.probe.wanted({Quantity::moved_logits, layer_, head, of_memory});
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

  /// Lets the edits change a quantity, and then the probe see it.
  void hand_out(const Site& site, MatrixOut<T> rows) {
    edits_.change(site, rows);
    see(site, rows);
  }

  void see(const Site& site, const MatrixIn<T>& rows, Index first = 0) const {
    if (options_.probe.wanted(site)) options_.probe.see(site, first, rows);
  }

  const TransformerDesign& design_;
  WeightSource<T>& weights_;
  const TokenSequence& tokens_;
  const PassOptions<T>& options_;
  ActiveEdits<T> edits_;
  KeyValueCache<T> own_cache_{};
  KeyValueCache<T>& cache_;
  Positions positions_{};  ///< of this pass' tokens
  int layer_{0};
  NormDesign norm_{design_.norm};  ///< of that layer, or of what is outside of layers
};

/// What the vocabulary's matrix multiplies.
template <class T>
Matrix<T> head_input(const TransformerDesign& design, const HeadWeights<T>& head,
                     const MatrixIn<T>& hidden, int threads) {
  if (!design.head_transform) return hidden;
  check_linear(head.transform, hidden.cols(), head.transform.W.rows(), "the head's W");
  Matrix<T> x = linear<T>(head.transform, hidden, threads);
  activate<T>(*design.head_transform, x);
  return normalised<T>(design.norm, head.transform_norm, x);
}

/// Calls use(first, logits [N, count]) for the tokens of the vocabulary, some at a time.
template <class T, class Use>
void for_parts_of_vocabulary(const TransformerDesign& design, WeightSource<T>& weights,
                             const MatrixIn<T>& hidden, int threads, const Use& use) {
  const Matrix<T> x = head_input<T>(design, *weights.head(), hidden, threads);
  const Index all = weights.vocabulary_size();
  for (Index first = 0; first < all; first += tokens_at_once) {
    const Index count = std::min(tokens_at_once, all - first);
    const auto w = weights.vocabulary(first, count);
    check_linear(*w, x.cols(), count, "the vocabulary's W");
    Matrix<T> logits = linear<T>(*w, x, threads);
    if (design.logit_scale != 1) logits *= static_cast<T>(design.logit_scale);
    cap_logits(design.logit_softcap, logits);
    if (!logits.allFinite()) check_finite<T>(logits, "logits of the vocabulary");
    use(first, logits);
  }
}

/// ln Σ exp l − l_t over logits that come in parts.
class RowLoss {
 public:
  /// @param target  the token's column, which need not be in this part
  /// @param room    for as many numbers
  template <class T>
  void add(std::span<const T> logits, Index target, T* room) {
    const auto& kernels = kernels::tile_kernels<T>();
    // Above −inf, so that parts of tokens that cannot come add 0.
    const T largest =
        std::max(kernels.largest(logits.size(), logits.data()), std::numeric_limits<T>::lowest());
    const double sum = kernels.exponentials_of_row(logits.size(), largest, logits.data(), room);
    const double shift = std::max(largest_, static_cast<double>(largest));
    sum_ = sum_ * std::exp(largest_ - shift) + sum * std::exp(static_cast<double>(largest) - shift);
    largest_ = shift;
    if (target >= 0 && target < static_cast<Index>(logits.size()))
      target_ = static_cast<double>(logits[static_cast<std::size_t>(target)]);
  }

  double loss() const { return std::log(sum_) + largest_ - target_; }

 private:
  double largest_{std::numeric_limits<double>::lowest()};
  double sum_{0};
  double target_{0};
};

}  // namespace

template <class T>
Matrix<T> forward(const TransformerDesign& design, WeightSource<T>& weights,
                  const TokenSequence& tokens, const PassOptions<T>& options) {
  if (!options.edits) return Pass<T>(design, weights, tokens, options).run();
  const TransformerDesign edited = edited_design(design, options.edits->list);
  return Pass<T>(edited, weights, tokens, options).run();
}

template <class T>
Matrix<T> vocabulary_logits(const TransformerDesign& design, WeightSource<T>& weights,
                            const MatrixIn<T>& hidden, int threads) {
  Matrix<T> logits(hidden.rows(), weights.vocabulary_size());
  for_parts_of_vocabulary<T>(
      design, weights, hidden, threads,
      [&](Index first, const Matrix<T>& part) { logits.middleCols(first, part.cols()) = part; });
  return logits;
}

template <class T>
std::vector<double> next_token_losses(const TransformerDesign& design, WeightSource<T>& weights,
                                      const MatrixIn<T>& hidden, std::span<const std::int32_t> ids,
                                      int threads, Matrix<T>* last) {
  if (static_cast<Index>(ids.size()) != hidden.rows())
    throw UsageError(fmt::format("{} tokens for {} hidden states", ids.size(), hidden.rows()),
                     "every state has its token", "give the tokens of the same pass");
  if (ids.empty() || (ids.size() < 2 && !last)) return {};
  std::vector<RowLoss> rows(ids.size() - 1);
  if (last) last->resize(1, weights.vocabulary_size());
  const auto see = [&](Index first, const Matrix<T>& part) {
    in_parallel(static_cast<std::ptrdiff_t>(rows.size()), threads, [&] {
      const auto room = std::make_shared<Matrix<T>>(1, part.cols());
      return [&, room](std::ptrdiff_t i) {
        const auto row = static_cast<std::size_t>(i);
        rows[row].add<T>({part.row(i).data(), static_cast<std::size_t>(part.cols())},
                         ids[row + 1] - first, room->data());
      };
    });
    if (last) last->middleCols(first, part.cols()) = part.bottomRows(1);
  };
  const Index seen = last ? hidden.rows() : hidden.rows() - 1;
  for_parts_of_vocabulary<T>(design, weights, hidden.topRows(seen), threads, see);
  std::vector<double> losses;
  for (const RowLoss& row : rows) losses.push_back(row.loss());
  return losses;
}

#define ORRERY_INSTANTIATE(T)                                                                  \
  template Matrix<T> forward(const TransformerDesign&, WeightSource<T>&, const TokenSequence&, \
                             const PassOptions<T>&);                                           \
  template Matrix<T> vocabulary_logits(const TransformerDesign&, WeightSource<T>&,             \
                                       const MatrixIn<T>&, int);                               \
  template std::vector<double> next_token_losses(const TransformerDesign&, WeightSource<T>&,   \
                                                 const MatrixIn<T>&,                           \
                                                 std::span<const std::int32_t>, int, Matrix<T>*)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
