#include "tests/bench/prefill.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "core/encodings/rope.h"
#include "core/random.h"
#include "core/transformer/forward.h"
#include "core/transformer/linear.h"
#include "tests/bench/head.h"

namespace orrery::bench {
namespace {

/// Of linear layers, in multiply-adds: the product and its packing.
constexpr double linear_share = 0.8;
/// PyTorch's passes run at two thirds of the peak of multiply-adds, which leaves at most 1.5.
constexpr double times_pytorch = 1.1;

/// A Llama, as far as its speed goes.
struct Shape {
  const char* name;
  Index layers, d_model, heads, kv_heads, d_feed_forward, vocabulary;

  Index d_head() const { return d_model / heads; }
  Index layer_weights() const {
    return 2 * d_model * d_model + 2 * kv_heads * d_head() * d_model + 3 * d_feed_forward * d_model;
  }
  /// Multiplications and additions of a pass over N tokens and of one token's logits.
  double work(Index n) const {
    const double linear = 2.0 * static_cast<double>(n * layers * layer_weights());
    const double maps = 2.0 * static_cast<double>(n * n * layers * d_model);  // the causal half
    return linear + maps + 2.0 * static_cast<double>(vocabulary * d_model);
  }
  /// As peers.py reads it.
  std::string words(Index n) const {
    return fmt::format("prefill {} {} {} {} {} {} {}", n, layers, d_model, heads, kv_heads,
                       d_feed_forward, vocabulary);
  }
};

constexpr Shape smollm2{"SmolLM2-135M", 30, 576, 9, 3, 1536, 49152};
/// Four layers of Llama 3.2 1B: a quarter of it fits where all of it would not.
constexpr Shape llama{"4 layers of 2048 channels", 4, 2048, 32, 8, 8192, 32768};

LinearWeights<float> random_linear(Random& random, Index out, Index in) {
  LinearWeights<float> w;
  w.W = normal_matrix<float>(random, out, in) / std::sqrt(static_cast<float>(in));
  return w;
}

NormWeights<float> unit_norm(Index d) {
  NormWeights<float> w;
  w.gain = Matrix<float>::Ones(1, d);
  return w;
}

/// Random weights, all of them in memory.
class RandomModel final : public WeightSource<float> {
 public:
  explicit RandomModel(const Shape& shape)
      : tokens_(normal_matrix<float>(random_, shape.vocabulary, shape.d_model)) {
    const auto rope = std::make_shared<Rope<float>>(RopeConvention{.d_head = shape.d_head()});
    for (Index l = 0; l < shape.layers; ++l) layers_.push_back(random_layer(shape, rope));
    head_->norm = unit_norm(shape.d_model);
  }

  Index vocabulary_size() const override { return tokens_.rows(); }
  Matrix<float> token_vectors(std::span<const std::int32_t> ids) override {
    Matrix<float> x(static_cast<Index>(ids.size()), tokens_.cols());
    for (std::size_t i = 0; i < ids.size(); ++i) x.row(static_cast<Index>(i)) = tokens_.row(ids[i]);
    return x;
  }
  std::shared_ptr<const EmbeddingWeights<float>> embedding() override { return embedding_; }
  std::shared_ptr<const LayerWeights<float>> layer(int l) override {
    return layers_[static_cast<std::size_t>(l)];
  }
  std::shared_ptr<const HeadWeights<float>> head() override { return head_; }
  std::shared_ptr<const LinearWeights<float>> vocabulary(Index first, Index count) override {
    return std::make_shared<LinearWeights<float>>(
        LinearWeights<float>{tokens_.middleRows(first, count), {}});
  }

 private:
  std::shared_ptr<const LayerWeights<float>> random_layer(
      const Shape& shape, const std::shared_ptr<const Encoding>& rope) {
    const Index d = shape.d_model, d_kv = shape.kv_heads * shape.d_head();
    auto layer = std::make_shared<LayerWeights<float>>();
    layer->encoding = rope;
    layer->before_attention = layer->before_feed_forward = unit_norm(d);
    layer->attention.q = random_linear(random_, d, d);
    layer->attention.k = random_linear(random_, d_kv, d);
    layer->attention.v = random_linear(random_, d_kv, d);
    layer->attention.o = random_linear(random_, d, d);
    layer->feed_forward.gate = random_linear(random_, shape.d_feed_forward, d);
    layer->feed_forward.up = random_linear(random_, shape.d_feed_forward, d);
    layer->feed_forward.down = random_linear(random_, d, shape.d_feed_forward);
    return layer;
  }

  Random random_{1, "prefill"};
  Matrix<float> tokens_;
  std::shared_ptr<const EmbeddingWeights<float>> embedding_{
      std::make_shared<EmbeddingWeights<float>>()};
  std::vector<std::shared_ptr<const LayerWeights<float>>> layers_{};
  std::shared_ptr<HeadWeights<float>> head_{std::make_shared<HeadWeights<float>>()};
};

TransformerDesign design_of(const Shape& shape) {
  TransformerDesign design;
  design.layers.resize(static_cast<std::size_t>(shape.layers));
  design.norm.kind = NormKind::rms;
  design.attention = {.heads = shape.heads,
                      .kv_heads = shape.kv_heads,
                      .d_head = shape.d_head(),
                      .d_value = shape.d_head()};
  return design;
}

/// Ids that lie far from each other, as those of words do.
std::vector<std::int32_t> prompt(Index n, Index vocabulary) {
  constexpr Index stride = 7919;
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < n; ++i) ids.push_back(static_cast<std::int32_t>(i * stride % vocabulary));
  return ids;
}

Operation prefill(const Shape& shape, Index n) {
  return {.name = fmt::format("prefill, {}, N = {}", shape.name, n),
          .peer = shape.words(n),
          .limit = Limit::multiply_add,
          .work = shape.work(n),
          .target = {.times_peer = times_pytorch},
          .threaded = true,
          .prepare = [shape, n]() -> std::function<void()> {
            return [design = design_of(shape), model = std::make_shared<RandomModel>(shape),
                    ids = prompt(n, shape.vocabulary)] {
              const Matrix<float> x =
                  forward<float>(design, *model, {.ids = ids}, {.threads = threads()});
              use(vocabulary_logits<float>(design, *model, x.bottomRows(1), threads()));
            };
          }};
}

Operation linear_layer(Index n, Index in, Index out) {
  return {.name = fmt::format("linear layer, {} to {}, N = {}", in, out, n),
          .peer = fmt::format("linear {} {} {}", n, in, out),
          .limit = Limit::multiply_add,
          .work = 2.0 * static_cast<double>(n * in * out),
          .target = {.share = linear_share},
          .threaded = true,
          .prepare = [n, in, out]() -> std::function<void()> {
            Random random(1, "linear");
            const auto w = std::make_shared<LinearWeights<float>>(random_linear(random, out, in));
            const auto x = std::make_shared<Matrix<float>>(normal_matrix<float>(random, n, in));
            return [w, x] { use(linear<float>(*w, *x, threads())); };
          }};
}

}  // namespace

std::vector<Operation> prefills() {
  return {linear_layer(256, 576, 1536),
          linear_layer(256, 1536, 576),
          linear_layer(512, 2048, 2048),
          linear_layer(512, 2048, 8192),
          prefill(smollm2, 256),
          prefill(smollm2, 1024),
          prefill(llama, 512)};
}

}  // namespace orrery::bench
