#include "core/training/attention_block.h"

#include <catch2/catch.hpp>

#include "core/attention/head.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/random.h"

using namespace orrery;

namespace {

// More queries than are worked on at once, and no multiple of them; heads of no whole vectors.
constexpr Index length = 41, sequences = 2, heads = 4, kv_heads = 2, d_head = 6, d_model = 10;

Matrix<double> drawn(Index rows, Index columns, const char* what) {
  Random random(9, what);
  return normal_matrix<double>(random, rows, columns);
}

/// A layer and what a step knows of it.
struct Layer {
  TransformerDesign design{};
  AttentionWeights<double> weights{};
  AttentionPlan<double> plan;

  Layer(bool causal, Position window, const Encoding* encoding)
      : design(design_of(causal, window)),
        weights{.q = {drawn(heads * d_head, d_model, "W_q")},
                .k = {drawn(kv_heads * d_head, d_model, "W_k")},
                .v = {drawn(kv_heads * d_head, d_model, "W_v")},
                .o = {drawn(d_model, heads * d_head, "W_o")}},
        plan(attention_plan<double>(design, 0, nullptr, encoding, length, sequences)) {}

  static TransformerDesign design_of(bool causal, Position window) {
    TransformerDesign design;
    design.layers.resize(1);
    design.layers.front().window = window;
    design.attention = {.heads = heads,
                        .kv_heads = kv_heads,
                        .d_head = d_head,
                        .d_value = d_head,
                        .causal = causal};
    return design;
  }
};

/// The same by attention as the rest of the core computes it.
Matrix<double> expected_output(const Layer& layer, const Encoding& encoding,
                               const Matrix<double>& x) {
  const Positions at = consecutive_positions(length);
  const AttentionDesign& a = layer.design.attention;
  const Mask mask =
      MaskSpec{.causal = a.causal, .window = layer.design.layers.front().window}.build(at, at);
  Matrix<double> y = Matrix<double>::Zero(x.rows(), d_model);
  for (Index s = 0; s < sequences; ++s)
    for (Index h = 0; h < heads; ++h) {
      const auto head = [&](const LinearWeights<double>& w, Index of) -> Matrix<double> {
        return x.middleRows(s * length, length) * w.W.middleRows(of * d_head, d_head).transpose();
      };
      const Matrix<double> q = head(layer.weights.q, h), k = head(layer.weights.k, h / 2);
      const Matrix<double> v = head(layer.weights.v, h / 2);
      const auto out = attention_from_qkv<double>(
          encoding, {.q = q, .k = k, .v = v, .m = at, .n = at, .head = static_cast<int>(h)}, mask);
      y.middleRows(s * length, length) +=
          out.output * layer.weights.o.W.middleCols(h * d_head, d_head).transpose();
    }
  return y;
}

void check_layer(bool causal, Position window, const Encoding& encoding) {
  INFO("causal " << causal << ", window " << window);
  const Layer layer(causal, window, &encoding);
  const Matrix<double> x = drawn(sequences * length, d_model, "x") * 0.4;
  AttentionBlock<double> block;
  Matrix<double> y;
  block.forward(layer.plan, layer.weights, x, y);
  CHECK((y - expected_output(layer, encoding, x)).norm() <= 1e-12 * y.norm());
  const Matrix<double> d_y = drawn(sequences * length, d_model, "d_y");
  AttentionWeights<double> d_w = layer.weights;
  for (LinearWeights<double>* w : {&d_w.q, &d_w.k, &d_w.v, &d_w.o}) w->W.setZero();
  EncodingGradient<double> d_encoding;
  const Matrix<double> d_x = block.back(layer.plan, layer.weights, d_y, d_w, d_encoding);
  const Matrix<double> direction = drawn(sequences * length, d_model, "direction");
  constexpr double step = 1e-5;
  const auto value = [&](double t) {
    return expected_output(layer, encoding, x + t * direction).cwiseProduct(d_y).sum();
  };
  const double difference = (value(step) - value(-step)) / (2 * step);
  CHECK(d_x.cwiseProduct(direction).sum() == Approx(difference).epsilon(1e-7));
  const auto of_weights = [&](double t) {
    Layer moved = layer;
    moved.weights.k.W += t * drawn(kv_heads * d_head, d_model, "of W_k");
    return expected_output(moved, encoding, x).cwiseProduct(d_y).sum();
  };
  CHECK(d_w.k.W.cwiseProduct(drawn(kv_heads * d_head, d_model, "of W_k")).sum() ==
        Approx((of_weights(step) - of_weights(-step)) / (2 * step)).epsilon(1e-7));
}

}  // namespace

TEST_CASE("Attention of a training step is attention, whatever keys its queries see") {
  const NoEncoding<double> none;
  const Rope<double> neighbours({.d_head = d_head});
  const Rope<double> halves({.d_head = d_head, .pairing = RopePairing::half_split});
  const Rope<double> muted({.d_head = d_head}, {.muted = {true}});
  for (const bool causal : {false, true})
    for (const Position window : {0, 1, 5, 20}) {
      check_layer(causal, window, none);
      check_layer(causal, window, neighbours);
    }
  check_layer(true, 0, halves);
  check_layer(true, 0, muted);
}
