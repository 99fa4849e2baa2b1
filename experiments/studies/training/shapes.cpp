#include "experiments/studies/training/shapes.h"

#include "core/attention/feature_map.h"

namespace orrery {
namespace {
namespace in_shapes {

/// Of the vectors of tokens where nothing but norms decides how large they are: small enough to be
/// learned in some hundred steps, large enough to tell tokens apart from the first.
constexpr double token_deviation = 0.2;

void be_like_bert(ModelSizes& sizes) {
  sizes.biases = sizes.norm_biases = sizes.tied = true;
  sizes.token_deviation = initial_deviation;
}

void make_gpt2(TransformerDesign& design, ModelSizes& sizes) {
  design.norm = {.kind = NormKind::layer, .epsilon = 1e-5};
  design.feed_forward = {.activation = Activation::gelu_tanh, .gated = false};
  be_like_bert(sizes);
}

void make_llama(TransformerDesign& design, ModelSizes& sizes) {
  design.norm = {.kind = NormKind::rms, .epsilon = 1e-5};
  design.feed_forward = {.activation = Activation::silu, .gated = true};
  // Three matrices in place of two: as many weights as the others.
  sizes.d_feed_forward = sizes.d_model * 8 / 3;
}

void make_roformer(TransformerDesign& design, ModelSizes& sizes) {
  design.norm = {.kind = NormKind::layer, .epsilon = 1e-12};
  design.norm_place = NormPlace::after;
  design.embedding_norm = EmbeddingNorm::before_projection;
  design.final_norm = false;
  design.feed_forward = {.activation = Activation::gelu, .gated = false};
  design.head_transform = Activation::gelu;
  sizes.vocabulary_biases = true;
  be_like_bert(sizes);
}

void make_plain(TransformerDesign& design) {
  design.norm = {.kind = NormKind::rms, .epsilon = 1e-5};
  design.feed_forward = {.activation = Activation::relu, .gated = false};
}

template <class T>
std::shared_ptr<const FeatureMap<T>> features_of(const std::string& attention) {
  if (attention == "linear_elu_plus_one") return std::make_shared<EluPlusOne<T>>();
  if (attention == "linear_relu") return std::make_shared<Relu<T>>();
  return nullptr;
}

}  // namespace in_shapes
}  // namespace

std::vector<Choice> shape_choices() {
  return {{"plain", "RMSNorm before each half, ReLU, no biases: the least that learns"},
          {"gpt2", "LayerNorm before each half, GELU, biases, tied vocabulary"},
          {"llama", "RMSNorm before each half, SwiGLU, no biases"},
          {"roformer", "BERT's and RoFormer's: LayerNorm behind each half, GELU, biases, tied"}};
}

template <class T>
ModelShape<T> model_shape(const ParamSet& params, const Task& task) {
  using namespace in_shapes;
  const Index heads = params.integer("heads"), d_head = params.integer("dim");
  ModelShape<T> shape;
  shape.sizes = {.vocabulary = task.vocabulary(),
                 .d_model = heads * d_head,
                 .d_feed_forward = 4 * heads * d_head,
                 .token_deviation = token_deviation};
  TransformerDesign& design = shape.design.transformer;
  design.layers.resize(static_cast<std::size_t>(params.integer("layers")));
  design.attention = {.heads = heads,
                      .kv_heads = heads,
                      .d_head = d_head,
                      .d_value = d_head,
                      .causal = task.causal()};
  const std::string& model = params.text("model");
  if (model == "gpt2")
    make_gpt2(design, shape.sizes);
  else if (model == "llama")
    make_llama(design, shape.sizes);
  else if (model == "roformer")
    make_roformer(design, shape.sizes);
  else
    make_plain(design);
  shape.design.linear.features = features_of<T>(params.text("attention"));
  return shape;
}

template ModelShape<float> model_shape(const ParamSet&, const Task&);
template ModelShape<double> model_shape(const ParamSet&, const Task&);

}  // namespace orrery
