#include <utility>

#include "core/encodings/learned.h"
#include "core/product.h"
#include "experiments/checkpoints/checkpoint.h"
#include "experiments/checkpoints/decode_rows.h"
#include "experiments/checkpoints/layer_encoding.h"

namespace orrery {
namespace {

template <class T>
AttentionWeights<T> attention_weights(const PlacedAttention& placed, int threads) {
  return {.q = decoded<T>(placed.q, threads),
          .k = decoded<T>(placed.k, threads),
          .v = decoded<T>(placed.v, threads),
          .o = decoded<T>(placed.o, threads),
          .q_norm = decoded<T>(placed.q_norm),
          .k_norm = decoded<T>(placed.k_norm)};
}

/// Rows of a table, in their order.
template <class T>
Matrix<T> rows_of(const PlacedTensor& table, std::span<const std::int32_t> rows) {
  Matrix<T> out(static_cast<Index>(rows.size()), matrix_size(*table.tensor).columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    decode_rows<T>(*table.tensor, table.name, rows[i], out.middleRows(static_cast<Index>(i), 1));
  return out;
}

Index rows_in(const PlacedTensor& table) { return matrix_size(*table.tensor).rows; }

/// Vectors of tokens whose table is in parts, each with a projection.
template <class T>
Matrix<T> vectors_of_parts(const std::vector<Places::Part>& parts,
                           std::span<const std::int32_t> ids) {
  Matrix<T> out;
  std::int32_t first = 0;
  for (const Places::Part& part : parts) {
    const auto end = first + static_cast<std::int32_t>(rows_in(part.table));
    const Matrix<T> projection = decoded<T>(part.projection);
    if (out.size() == 0) out.resize(static_cast<Index>(ids.size()), projection.rows());
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (const std::int32_t row = ids[i] - first; row >= 0 && ids[i] < end)
        out.row(static_cast<Index>(i)) =
            product_with_transpose<T>(rows_of<T>(part.table, {&row, 1}), projection);
    first = end;
  }
  return out;
}

/// Tap t of [out, in of a group, taps] has every taps-th number from t on.
template <class T>
ConvolutionWeights<T> convolution_weights(const PlacedLayer& placed) {
  ConvolutionWeights<T> weights{.b = decoded<T>(placed.convolution_bias),
                                .norm = decoded<T>(placed.convolution_norm)};
  if (!placed.convolution) return weights;
  const Matrix<T> all = decoded<T>(placed.convolution);
  const auto taps = static_cast<Index>(placed.convolution.tensor->shape.back());
  const Index out = all.rows(), in = all.cols() / taps;
  const Index groups = out / in;  // whose channels are convolved among themselves
  for (Index t = 0; t < taps; ++t) {
    const Matrix<T> stored = all(Eigen::all, Eigen::seq(t, Eigen::last, taps));
    Matrix<T> W = Matrix<T>::Zero(out, out);
    for (Index g = 0; g < groups; ++g)
      W.block(g * in, g * in, in, in) = stored.middleRows(g * in, in);
    weights.W.push_back(std::move(W));
  }
  return weights;
}

Index numbers_in(const PlacedLinear& linear) { return linear.W ? linear.in * linear.out : 0; }

std::uint64_t numbers_in(const PlacedLayer& layer) {
  Index numbers = numbers_in(layer.gate) + numbers_in(layer.up) + numbers_in(layer.down);
  for (const PlacedAttention* attention : {&layer.attention, &layer.memory})
    for (const PlacedLinear* linear : {&attention->q, &attention->k, &attention->v, &attention->o})
      numbers += numbers_in(*linear);
  return static_cast<std::uint64_t>(numbers);
}

/// The weights of a stack, decoded where they are asked for.
template <class T>
class StackSource final : public WeightSource<T> {
 public:
  StackSource(const Checkpoint& checkpoint, const Stack& stack, int threads)
      : store_(checkpoint.store()), stack_(stack), threads_(threads) {}

  Index vocabulary_size() const override {
    if (places().parts.empty()) return rows_in(places().tokens);
    Index all = 0;
    for (const Places::Part& part : places().parts) all += rows_in(part.table);
    return all;
  }

  Matrix<T> token_vectors(std::span<const std::int32_t> ids) override {
    return whole(places().parts.empty() ? rows_of<T>(places().tokens, ids)
                                        : vectors_of_parts<T>(places().parts, ids));
  }

  std::shared_ptr<const LinearWeights<T>> vocabulary(Index first, Index count) override {
    const PlacedLinear& placed = places().vocabulary;
    const auto weights = std::make_shared<LinearWeights<T>>();
    weights->W.resize(count, placed.in);
    decode_rows<T>(*placed.W.tensor, placed.W.name, first, weights->W, threads_);
    if (placed.b) weights->b = decoded<T>(placed.b).middleCols(first, count);
    return whole(weights);
  }

  std::shared_ptr<const EmbeddingWeights<T>> embedding() override {
    if (!embedding_) embedding_ = std::make_shared<EmbeddingWeights<T>>(decoded_embedding());
    return whole(embedding_);
  }

  std::shared_ptr<const LayerWeights<T>> layer(int layer) override {
    return whole(std::make_shared<LayerWeights<T>>(decoded_layer(layer)));
  }

  std::shared_ptr<const HeadWeights<T>> head() override {
    if (!head_) head_ = std::make_shared<HeadWeights<T>>(decoded_head());
    return whole(head_);
  }

 private:
  /// What was decoded, where its bytes were there.
  template <class Weights>
  Weights whole(Weights weights) const {
    store_.require_whole();
    return weights;
  }

  static std::size_t index(int layer) { return static_cast<std::size_t>(layer); }
  const Places& places() const { return stack_.places; }

  EmbeddingWeights<T> decoded_embedding() const {
    const Places& placed = places();
    EmbeddingWeights<T> weights{.segments = decoded<T>(placed.segments),
                                .norm = decoded<T>(placed.embedding_norm),
                                .projection = decoded<T>(placed.projection)};
    if (!placed.positions) return weights;
    const Matrix<T> table = decoded<T>(placed.positions);
    const Index first = stack_.pad ? *stack_.pad + 1 : 0;
    weights.positions = std::make_shared<Learned<T>>(table.bottomRows(table.rows() - first));
    weights.pad = stack_.pad;
    if (stack_.pad) weights.pad_position = table.row(*stack_.pad);
    return weights;
  }

  LayerWeights<T> decoded_layer(int layer) const {
    const PlacedLayer& placed = places().layers[index(layer)];
    return {.encoding = layer_encoding<T>(stack_.layers[index(layer)], places(), stack_.design),
            .before_attention = decoded<T>(placed.before_attention),
            .after_attention = decoded<T>(placed.after_attention),
            .before_memory = decoded<T>(placed.before_memory),
            .before_feed_forward = decoded<T>(placed.before_feed_forward),
            .after_feed_forward = decoded<T>(placed.after_feed_forward),
            .attention = attention_weights<T>(placed.attention, threads_),
            .memory = attention_weights<T>(placed.memory, threads_),
            .feed_forward = {.gate = decoded<T>(placed.gate, threads_),
                             .up = decoded<T>(placed.up, threads_),
                             .down = decoded<T>(placed.down, threads_)},
            .convolution = convolution_weights<T>(placed)};
  }

  HeadWeights<T> decoded_head() const {
    const Places& placed = places();
    return {.norm = decoded<T>(placed.final_norm),
            .transform = decoded<T>(placed.transform),
            .transform_norm = decoded<T>(placed.transform_norm)};
  }

  const TensorStore& store_;
  const Stack& stack_;
  int threads_;
  std::shared_ptr<const EmbeddingWeights<T>> embedding_{};
  std::shared_ptr<const HeadWeights<T>> head_{};
};

/// Of the largest layer, as numbers of so many bytes each.
std::uint64_t largest_layer_bytes(const Stack& stack, std::size_t bytes_per_number) {
  std::uint64_t largest = 0;
  for (const PlacedLayer& layer : stack.places.layers)
    if (const std::uint64_t numbers = numbers_in(layer); numbers > largest) largest = numbers;
  return largest * bytes_per_number;
}

}  // namespace

template <class T>
std::unique_ptr<WeightSource<T>> weight_source(const Checkpoint& checkpoint, const Stack& stack,
                                               int threads) {
  return std::make_unique<StackSource<T>>(checkpoint, stack, threads);
}

template std::unique_ptr<WeightSource<float>> weight_source(const Checkpoint&, const Stack&, int);
template std::unique_ptr<WeightSource<double>> weight_source(const Checkpoint&, const Stack&, int);

std::uint64_t pass_bytes(const Stack& stack, std::uint64_t tokens, std::size_t bytes_per_number) {
  const PlacedLayer& layer = stack.places.layers.front();
  const AttentionDesign& a = stack.design.attention;
  const Index by_token = 3 * layer.attention.o.out + 4 * a.heads * a.d_head + 2 * layer.up.out;
  const Index cached =
      (a.d_head + a.d_value) * a.kv_heads * static_cast<Index>(stack.places.layers.size());
  return largest_layer_bytes(stack, bytes_per_number) +
         tokens * bytes_per_number * static_cast<std::uint64_t>(by_token + cached);
}

}  // namespace orrery
