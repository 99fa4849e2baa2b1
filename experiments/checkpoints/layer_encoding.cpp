#include "experiments/checkpoints/layer_encoding.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/encodings/alibi.h"
#include "core/encodings/deberta.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/errors.h"
#include "core/transformer/norm.h"
#include "experiments/checkpoints/decode_rows.h"

namespace orrery {
namespace {

constexpr double sinusoid_base = 10000.0;

/// The format of sines and cosines that a file has: those that are computed are rounded as these were.
Precision format_of(const PlacedTensor& rotations) {
  if (!rotations || rotations.tensor->type == StoredType::f64) return Precision::fp64;
  if (rotations.tensor->type == StoredType::f16) return Precision::fp16;
  return rotations.tensor->type == StoredType::bf16 ? Precision::bf16 : Precision::fp32;
}

template <class T>
std::shared_ptr<const Encoding> rope(const LayerPlan& layer, const Places& places) {
  RopeOptions options;
  options.rounding.set(Stage::cos_sin, format_of(places.rotations));
  if (param_or<std::string>(layer, "rope.rotary_value", "none") == "rotated")
    options.rotary_value = RotaryValue::rotated;
  return std::make_shared<Rope<T>>(layer.rope, options);
}

template <class T>
std::shared_ptr<const Encoding> alibi(const LayerPlan& layer, int heads) {
  AlibiOptions options{.bias_max = param_or(layer, "alibi.bias_max", 8.0)};
  const std::string form = param_or<std::string>(layer, "alibi.form", "symmetric");
  if (form == "causal") options.form = AlibiForm::causal;
  if (form == "key") options.form = AlibiForm::key;
  StageRounding rounding;
  if (param_or<std::string>(layer, "alibi.bias_scale", "none") == "root") {
    // Falcon's code keeps slopes and biases in bf16, whatever the type of the model.
    options.scale = AlibiScale::root;
    rounding = StageRounding(Precision::bf16, {Stage::table, Stage::term});
  }
  return std::make_shared<Alibi<T>>(heads, options, rounding);
}

template <class T>
std::shared_ptr<const Encoding> t5(const LayerPlan& layer, const Places& places) {
  const T5Buckets buckets{
      .buckets = static_cast<int>(param_or<std::int64_t>(layer, "t5.buckets", 32)),
      .max_distance = param_or<std::int64_t>(layer, "t5.max_distance", 128),
      .bidirectional = param_or(layer, "t5.bidirectional", true)};
  return std::make_shared<T5<T>>(buckets, decoded<T>(places.relative_table));
}

template <class T>
std::shared_ptr<const Encoding> shaw(const LayerPlan& layer, const Places& places) {
  const PlacedPositions& own = places.layers[static_cast<std::size_t>(layer.layer)].relative;
  const std::int64_t clip = param_or<std::int64_t>(layer, "shaw.clip", 16);
  ShawOptions options{.left = clip, .right = param_or(layer, "shaw.clip_ahead", clip)};
  if (param_or<std::string>(layer, "shaw.rows", "") == "query_minus_key")
    options.rows = ShawRows::query_minus_key;
  if (param_or<std::string>(layer, "shaw.variant", "") == "queries_and_keys")
    options.scores = ShawScores::queries_and_keys;
  return std::make_shared<Shaw<T>>(decoded<T>(own.table), Matrix<T>(), options);
}

DebertaOptions deberta_options(const LayerPlan& layer) {
  DebertaOptions options{.span = param_or<std::int64_t>(layer, "deberta.span", 512),
                         .index = DebertaIndex::code};
  options.log_buckets = param_or<std::string>(layer, "deberta.version", "v1") == "v2";
  options.max_distance = param_or<std::int64_t>(layer, "deberta.max_distance", 512);
  const std::string terms = param_or<std::string>(layer, "deberta.terms", "both");
  if (terms == "c2p") options.terms = DebertaTerms::content_to_position;
  if (terms == "p2c") options.terms = DebertaTerms::position_to_content;
  return options;
}

template <class T>
std::shared_ptr<const Encoding> deberta(const LayerPlan& layer, const Places& places,
                                        const TransformerDesign& design) {
  const PlacedPositions& own = places.layers[static_cast<std::size_t>(layer.layer)].relative;
  Matrix<T> table = decoded<T>(places.relative_table);
  // Normalised here, with the model's own epsilon.
  if (places.relative_norm.gain && find_param(layer, "deberta.norm"))
    table = normalised<T>(design.norm, decoded<T>(places.relative_norm), table);
  const Index width = design.attention.heads * design.attention.d_head;
  const auto projection = [&](const PlacedLinear& placed, Matrix<T>& b) -> Matrix<T> {
    LinearWeights<T> linear = decoded<T>(placed);
    b = std::move(linear.b);
    if (!placed.W) return Matrix<T>::Zero(table.cols(), width);  // of a term that is left out
    return linear.W.transpose();
  };
  Matrix<T> b_qr, b_kr;
  Matrix<T> W_qr = projection(own.query, b_qr), W_kr = projection(own.key, b_kr);
  return std::make_shared<Deberta<T>>(
      typename Deberta<T>::Weights{.table = std::move(table),
                                   .W_qr = std::move(W_qr),
                                   .W_kr = std::move(W_kr),
                                   .d_head = design.attention.d_head,
                                   .b_qr = std::move(b_qr),
                                   .b_kr = std::move(b_kr)},
      deberta_options(layer));
}

template <class T>
std::shared_ptr<const Encoding> transformer_xl(const LayerPlan& layer, const Places& places) {
  const PlacedPositions& own = places.layers[static_cast<std::size_t>(layer.layer)].relative;
  typename TransformerXl<T>::Weights weights{.u = decoded<T>(own.content_bias),
                                             .v = decoded<T>(own.position_bias),
                                             .W_kR = decoded<T>(own.key).W.transpose()};
  if (own.segment_table) {
    weights.s = decoded<T>(own.segment_bias);
    weights.segments = decoded<T>(own.segment_table);
  }
  return std::make_shared<TransformerXl<T>>(
      std::move(weights), sinusoid_base, StageRounding{},
      param_or<std::int64_t>(layer, "transformer_xl.clamp_len", 0),
      layout_named(param_or<std::string>(layer, "transformer_xl.layout", "concatenated")));
}

}  // namespace

template <class T>
std::shared_ptr<const Encoding> layer_encoding(const LayerPlan& layer, const Places& places,
                                               const TransformerDesign& design) {
  if (layer.encoding == "none" || layer.encoding == "learned") return nullptr;
  if (layer.encoding == "rope") return rope<T>(layer, places);
  if (layer.encoding == "alibi") return alibi<T>(layer, static_cast<int>(design.attention.heads));
  if (layer.encoding == "shaw") return shaw<T>(layer, places);
  if (layer.encoding == "t5") return t5<T>(layer, places);
  if (layer.encoding == "deberta") return deberta<T>(layer, places, design);
  if (layer.encoding == "transformer_xl") return transformer_xl<T>(layer, places);
  throw DataError(
      fmt::format("layer {}", layer.layer),
      fmt::format("has the encoding {}, with which no family is computed", layer.encoding),
      "see orrery list families");
}

template std::shared_ptr<const Encoding> layer_encoding<float>(const LayerPlan&, const Places&,
                                                               const TransformerDesign&);
template std::shared_ptr<const Encoding> layer_encoding<double>(const LayerPlan&, const Places&,
                                                                const TransformerDesign&);

}  // namespace orrery
