#include "experiments/linear_maps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/analysis/invariance.h"
#include "core/analysis/largest.h"
#include "core/attention/head.h"
#include "core/encodings/rope.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/given_qkv.h"

namespace orrery {
namespace {

Matrix<double> chosen_head(const Tensor& tensor, const ParamSet& params) {
  const auto head = tensor.shape.size() == 3 ? static_cast<std::size_t>(params.integer("head")) : 0;
  return head_matrix<double>(tensor, head, static_cast<std::size_t>(params.integer("tokens")));
}

void read_files(const ParamSet& params, const GivenQkv& given, LinearScene& scene) {
  const HeadOf<double> head = [&](const Tensor& tensor) { return chosen_head(tensor, params); };
  std::tie(scene.q, scene.k) = queries_and_keys<double>(given, head);
  if (scene.q.rows() < 2 || scene.q.cols() % 2 != 0)
    throw DataError(shape_text(*given.q), "needs two tokens and an even number of channels",
                    "save q and k of one head, [N, d]");
  scene.v = values_or_keys<double>(given, scene.k, head);
}

Rope<double> rope_of(const LinearScene& scene, Index channels) {
  return Rope<double>({.d_head = channels, .base = scene.base});
}

/// The rotation that a variant needs: of the features, or of q and k before them.
struct Turn {
  std::unique_ptr<Rope<double>> rope;
  LinearOptions options;
};

Turn turn_of(const LinearScene& scene, const FeatureMap<double>& features,
             FeatureRotation rotation) {
  Turn turn{nullptr, {.causal = scene.causal}};
  if (rotation == FeatureRotation::none) return turn;
  const bool before = rotation == FeatureRotation::rotated_before_features;
  const Index d = scene.q.cols();
  turn.rope = std::make_unique<Rope<double>>(rope_of(scene, before ? d : features.features(d)));
  if (before) turn.options.variant = LinearVariant::rotated_before_features;
  if (rotation == FeatureRotation::both_rotated) turn.options.variant = LinearVariant::both_rotated;
  return turn;
}

/// The features that meet in the normaliser without rotation, or turned before them.
struct PlainFeatures {
  Matrix<double> q, k;
};

PlainFeatures plain_features(const LinearScene& scene, const FeatureMap<double>& features,
                             FeatureRotation rotation) {
  Matrix<double> q = scene.q, k = scene.k;
  if (rotation == FeatureRotation::rotated_before_features) {
    const Rope<double> rope = rope_of(scene, q.cols());
    rope.transform_queries(scene.positions, q);
    rope.transform_keys(scene.positions, k);
  }
  return {features.of_queries(q), features.of_keys(k)};
}

/// What rounding may cost a weight of two maps together, after the standard model (Higham 2002
/// §3.1): products of F features, their sums over keys, and the rotation, each to γ, divided by the
/// normaliser. Features themselves are rounded alike in both maps.
void add_rounding(const LinearScene& scene, const PlainFeatures& f,
                  const Matrix<double>& normalizers, LinearMap& map) {
  const double gamma = 4.0 * static_cast<double>(f.q.cols() + scene.k.rows() + 16) * 0x1p-53;
  Smallest least(std::numeric_limits<double>::infinity());
  Largest rounding, sum_error;
  for (Index i = 0; i < f.q.rows(); ++i) {
    double norms = 0, plain = 0;
    for (Index j = 0; j < f.k.rows(); ++j) {
      if (!scene.mask.allows(i, j)) continue;
      norms += f.q.row(i).norm() * f.k.row(j).norm();
      plain += f.q.row(i).dot(f.k.row(j));
    }
    const double normalizer = std::abs(normalizers(i, 0));
    least.see(plain <= 0 ? 0.0 : normalizer / plain);
    if (normalizer == 0) continue;
    const double largest = largest_magnitude<double>(map.weights.row(i));
    rounding.see(gamma * norms * (1 + largest) / normalizer);
    sum_error.see(std::abs(1 - map.weights.row(i).sum()));
  }
  map.least_normalizer = least.value();
  map.rounding = rounding.value();
  map.sum_error = sum_error.value();
}

}  // namespace

LinearScene linear_scene(const ParamSet& params, const Inputs& inputs) {
  LinearScene scene;
  if (const GivenQkv given = given_qkv(inputs); given.any()) {
    read_files(params, given, scene);
  } else {
    const Index n = params.integer("tokens");
    const Index d = params.integer("dim");
    Random random(params.integer("seed"), "q, k and v of linear_attention");
    const double deviation = params.real("deviation");
    scene.q = normal_matrix<double>(random, n, d, deviation);
    scene.k = normal_matrix<double>(random, n, d, deviation);
    scene.v = normal_matrix<double>(random, n, d);
  }
  scene.positions = consecutive_positions(scene.q.rows());
  scene.causal = params.boolean("causal");
  if (scene.causal) scene.mask = Mask::causal(scene.positions, scene.positions);
  scene.base = params.real("base");
  return scene;
}

const std::vector<VariantName>& linear_variants() {
  static const std::vector<VariantName> variants{
      {FeatureRotation::paper, "paper", "eq. (19)"},
      {FeatureRotation::both_rotated, "both_rotated", "both rotated"},
      {FeatureRotation::rotated_before_features, "rotated_before", "rotated before φ"},
      {FeatureRotation::none, "unrotated", "no rotation"}};
  return variants;
}

std::size_t index_of(FeatureRotation rotation) {
  const auto& variants = linear_variants();
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const VariantName& v) { return v.rotation == rotation; });
  return static_cast<std::size_t>(found - variants.begin());
}

const LinearMap& map_of(const Family& family, FeatureRotation rotation) {
  return family.maps[index_of(rotation)];
}

AttentionShape shape_of(const LinearScene& scene) {
  return {scene.q.rows(), scene.q.cols(), scene.v.cols(), scene.causal};
}

Index crossover_of(const LinearScene& scene, const Family& family) {
  return crossover_tokens(shape_of(scene), family.feature.kind, family.features,
                          LinearVariant::paper);
}

const std::vector<FeatureName>& feature_names() {
  static const std::vector<FeatureName> names{{FeatureKind::elu, "elu_plus_one", "elu + 1"},
                                              {FeatureKind::relu, "relu", "relu"},
                                              {FeatureKind::favor, "favor", "FAVOR+"}};
  return names;
}

const FeatureName& feature_named(const std::string& name) {
  const auto& names = feature_names();
  return *std::find_if(names.begin(), names.end(),
                       [&](const FeatureName& f) { return f.name == name; });
}

std::unique_ptr<FeatureMap<double>> make_features(FeatureKind kind, std::int64_t seed,
                                                  Index favor_features, Index d) {
  switch (kind) {
    case FeatureKind::elu:
      return std::make_unique<EluPlusOne<double>>();
    case FeatureKind::relu:
      return std::make_unique<Relu<double>>();
    case FeatureKind::favor:
      break;
  }
  return std::make_unique<Favor<double>>(Favor<double>::orthogonal(seed, favor_features, d));
}

Matrix<double> softmax_rope_weights(const LinearScene& scene) {
  return attention_from_qkv<double>(rope_of(scene, scene.q.cols()),
                                    {scene.q, scene.k, scene.v, scene.positions, scene.positions},
                                    scene.mask)
      .weights;
}

Matrix<double> linear_weights(const LinearScene& scene, const FeatureMap<double>& features,
                              FeatureRotation rotation, Position shift) {
  const Turn turn = turn_of(scene, features, rotation);
  const Positions at = shifted(scene.positions, shift);
  return linear_attention_weights<double>({scene.q, scene.k, scene.v, at, at}, features,
                                          turn.rope.get(), turn.options);
}

LinearMap examine_map(const LinearScene& scene, const FeatureMap<double>& features,
                      FeatureRotation rotation, Position shift, const Matrix<double>& reference) {
  LinearMap map{.weights = linear_weights(scene, features, rotation)};
  map.signs = weight_signs(map.weights, scene.mask);
  const Turn turn = turn_of(scene, features, rotation);
  const LinearOutput<double> out =
      linear_attention<double>({scene.q, scene.k, scene.v, scene.positions, scene.positions},
                               features, turn.rope.get(), turn.options);
  map.zero_normalizers = out.zero_normalizers;
  map.output_gap = largest_difference<double>(out.output, map.weights * scene.v);
  map.shift_residual =
      largest_difference<double>(linear_weights(scene, features, rotation, shift), map.weights);
  map.half_difference = mean_half_difference(map.weights, reference);
  add_rounding(scene, plain_features(scene, features, rotation), out.normalizers, map);
  return map;
}

}  // namespace orrery
