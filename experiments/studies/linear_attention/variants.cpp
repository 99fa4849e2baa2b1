#include "experiments/studies/linear_attention/variants.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <tuple>

#include "core/analysis/invariance.h"
#include "core/analysis/largest.h"
#include "core/attention/head.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rope.h"
#include "core/errors.h"
#include "core/product.h"
#include "core/random.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/trained_head.h"

namespace orrery {
namespace {

void read_files(const ParamSet& params, const UserQkv& given, LinearInputs& in) {
  const HeadOf<double> head = [&](const Tensor& tensor) {
    const std::int64_t number = tensor.shape.size() == 3 ? params.integer("head") : 0;
    return head_matrix<double>(tensor, static_cast<std::size_t>(number),
                               static_cast<std::size_t>(params.integer("max_tokens")));
  };
  std::tie(in.q, in.k) = queries_and_keys<double>(given, head);
  if (in.q.rows() < 2 || in.q.cols() % 2 != 0)
    throw DataError(shape_text(*given.q), "needs two tokens and an even number of channels",
                    "save q and k of one head, [N, d]");
  in.v = values_or_keys<double>(given, in.k, head);
  in.read = {static_cast<std::size_t>(in.q.rows()), rows_of(*given.q), true};
}

Rope<double> rope_over(const LinearInputs& in, Index channels) {
  return Rope<double>({.d_head = channels, .base = in.base});
}

/// The rotation that a variant needs: of the features, or of q and k before them.
struct VariantTurn {
  std::unique_ptr<Rope<double>> rope;
  LinearOptions options;
};

VariantTurn turn_of(const LinearInputs& in, const FeatureMap<double>& features,
                    FeatureRotation rotation) {
  VariantTurn turn{nullptr, {.causal = in.causal}};
  if (rotation == FeatureRotation::none) return turn;
  const bool before = rotation == FeatureRotation::rotated_before_features;
  const Index d = in.q.cols();
  turn.rope = std::make_unique<Rope<double>>(rope_over(in, before ? d : features.features(d)));
  if (before) turn.options.variant = LinearVariant::rotated_before_features;
  if (rotation == FeatureRotation::both_rotated) turn.options.variant = LinearVariant::both_rotated;
  return turn;
}

/// The features whose products form the denominator: unrotated, or rotated before the map.
struct PlainFeatures {
  Matrix<double> q, k;
};

PlainFeatures plain_features(const LinearInputs& in, const FeatureMap<double>& features,
                             FeatureRotation rotation) {
  Matrix<double> q = in.q, k = in.k;
  if (rotation == FeatureRotation::rotated_before_features) {
    const Rope<double> rope = rope_over(in, q.cols());
    rope.transform_queries(in.positions, q);
    rope.transform_keys(in.positions, k);
  }
  return {features.of_queries(q), features.of_keys(k)};
}

/// Bound of the rounding of a weight in two maps together, after the standard model (Higham 2002
/// §3.1): products of F features, their sums over keys, and the rotation, each to γ, divided by the
/// normaliser. Features themselves are rounded alike in both maps. Infinite where rotations turn a
/// normaliser of 0 into one of rounding errors alone.
void add_rounding(const LinearInputs& in, const PlainFeatures& f, FeatureRotation rotation,
                  const Matrix<double>& normalizers, LinearMap& map) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double gamma = 4.0 * static_cast<double>(f.q.cols() + in.k.rows() + 16) * 0x1p-53;
  Smallest least(infinity);
  Largest rounding, sum_error;
  const Matrix<double> norms_q = f.q.rowwise().norm(), norms_k = f.k.rowwise().norm();
  const Matrix<double> products = product_with_transpose<double>(f.q, f.k);
  for (Index i = 0; i < f.q.rows(); ++i) {
    double norms = 0, plain = 0;
    for (Index j = 0; j < f.k.rows(); ++j) {
      if (!in.mask.allows(i, j)) continue;
      norms += norms_q(i, 0) * norms_k(j, 0);
      plain += products(i, j);
    }
    const double normalizer = std::abs(normalizers(i, 0));
    least.see(plain <= 0 ? 0.0 : normalizer / plain);
    if (normalizer == 0) {
      if (rotation == FeatureRotation::both_rotated && norms > 0) rounding.see(infinity);
      continue;
    }
    map.has_weights = true;
    const double largest = largest_magnitude<double>(map.weights.row(i));
    rounding.see(gamma * norms * (1 + largest) / normalizer);
    sum_error.see(std::abs(1 - map.weights.row(i).sum()));
  }
  map.least_normalizer = least.value();
  map.rounding = rounding.value();
  map.sum_error = sum_error.value();
}

constexpr Index queries_expected = 16;

std::vector<Index> some_queries(Index n) {
  std::vector<Index> rows;
  const Index count = std::min<Index>(queries_expected, n);
  for (Index i = 0; i < count; ++i) rows.push_back((i + 1) * n / count - 1);
  return rows;
}

/// e^{i p θ_t} for every pair.
std::vector<std::complex<double>> phasors_at(const std::vector<double>& theta, double p) {
  std::vector<std::complex<double>> turned;
  for (const double frequency : theta) turned.push_back(std::polar(1.0, p * frequency));
  return turned;
}

/// Neighbouring channels as complex numbers, each times its phasor.
void rotate_row(const std::vector<std::complex<double>>& by, double* row) {
  for (std::size_t t = 0; t < by.size(); ++t) {
    const std::complex<double> z = std::complex<double>(row[2 * t], row[2 * t + 1]) * by[t];
    row[2 * t] = z.real();
    row[2 * t + 1] = z.imag();
  }
}

Matrix<double> rotated(const LinearInputs& in, const Matrix<double>& x, Position shift) {
  const std::vector<double> theta = inverse_frequencies(x.cols(), in.base);
  Matrix<double> y = x;
  for (Index i = 0; i < y.rows(); ++i) {
    const auto p = static_cast<double>(in.positions[static_cast<std::size_t>(i)] + shift);
    rotate_row(phasors_at(theta, p), y.row(i).data());
  }
  return y;
}

bool sees(const LinearInputs& in, Index query, Index key) { return !in.causal || key <= query; }

/// A_mn of one query from features, 0 for keys that it does not see.
std::vector<double> weights_of(const LinearInputs& in, const Matrix<double>& q,
                               const Matrix<double>& k, Index query) {
  std::vector<double> weights(static_cast<std::size_t>(k.rows()), 0.0);
  double sum = 0;
  for (Index j = 0; j < k.rows(); ++j)
    if (sees(in, query, j))
      sum += weights[static_cast<std::size_t>(j)] = q.row(query).dot(k.row(j));
  if (sum == 0) return weights;
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::int64_t tokens_of(const ParamSet& params) {
  constexpr std::int64_t usual = 128;
  return length_or(params, "tokens", has_trained_contents(params) ? trained_tokens : usual);
}

LinearInputs linear_inputs(const ParamSet& params, const Inputs& inputs) {
  LinearInputs in;
  if (const UserQkv given = user_qkv(inputs); given.any()) {
    read_files(params, given, in);
  } else if (has_trained_contents(params)) {
    const auto head = trained_head_of_example<double>(params, tokens_of(params));
    in.read = {.read = static_cast<std::size_t>(head.x.rows()), .of_trained = true};
    in.q = head.projections.queries(head.x);
    in.k = head.projections.keys(head.x);
    in.v = head.projections.values(head.x);
  } else {
    const Index n = tokens_of(params);
    const Index d = params.integer("dim");
    Random random(params.integer("seed"), "q, k and v of linear_attention");
    const double deviation = params.real("deviation");
    in.q = normal_matrix<double>(random, n, d, deviation);
    in.k = normal_matrix<double>(random, n, d, deviation);
    in.v = normal_matrix<double>(random, n, d);
  }
  in.positions = consecutive_positions(in.q.rows());
  in.causal = params.boolean("causal");
  if (in.causal) in.mask = Mask::causal(in.positions, in.positions);
  in.base = params.real("base");
  return in;
}

const std::vector<VariantName>& linear_variants() {
  static const std::vector<VariantName> variants{
      {FeatureRotation::paper, "paper", "eq. (19)"},
      {FeatureRotation::both_rotated, "both_rotated", "both rotated"},
      {FeatureRotation::rotated_before_features, "rotated_before", "rotated before $φ$"},
      {FeatureRotation::none, "unrotated", "no rotation"}};
  return variants;
}

std::size_t index_of(FeatureRotation rotation) {
  const auto& variants = linear_variants();
  const auto found = std::ranges::find(variants, rotation, &VariantName::rotation);
  return static_cast<std::size_t>(found - variants.begin());
}

const LinearMap& map_of(const VariantFamily& family, FeatureRotation rotation) {
  return family.maps[index_of(rotation)];
}

AttentionShape shape_of(const LinearInputs& in) {
  return {in.q.rows(), in.q.cols(), in.v.cols(), in.causal};
}

Index crossover_of(const LinearInputs& in, const VariantFamily& family) {
  return crossover_tokens(shape_of(in), family.feature.kind, family.features, LinearVariant::paper);
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

Matrix<double> softmax_rope_weights(const LinearInputs& in) {
  return attention_from_qkv<double>(rope_over(in, in.q.cols()),
                                    {in.q, in.k, in.v, in.positions, in.positions}, in.mask)
      .weights;
}

Matrix<double> linear_weights(const LinearInputs& in, const FeatureMap<double>& features,
                              FeatureRotation rotation, Position shift) {
  const VariantTurn turn = turn_of(in, features, rotation);
  const Positions at = shifted(in.positions, shift);
  return linear_attention_weights<double>({in.q, in.k, in.v, at, at}, features, turn.rope.get(),
                                          turn.options);
}

LinearMap examine_map(const LinearInputs& in, const FeatureMap<double>& features,
                      FeatureRotation rotation, Position shift, const Matrix<double>& reference) {
  LinearMap map{.weights = linear_weights(in, features, rotation)};
  map.signs = weight_signs(map.weights, in.mask);
  const VariantTurn turn = turn_of(in, features, rotation);
  const LinearOutput<double> out = linear_attention<double>(
      {in.q, in.k, in.v, in.positions, in.positions}, features, turn.rope.get(), turn.options);
  map.zero_normalizers = out.zero_normalizers;
  map.output_gap = largest_difference<double>(out.output, map.weights * in.v);
  map.shift_residual =
      largest_difference<double>(linear_weights(in, features, rotation, shift), map.weights);
  map.half_difference = mean_half_difference(map.weights, reference);
  add_rounding(in, plain_features(in, features, rotation), rotation, out.normalizers, map);
  return map;
}

double expected_sum_error(const LinearInputs& in, const FeatureMap<double>& features) {
  const Matrix<double> q = features.of_queries(in.q), k = features.of_keys(in.k);
  const Matrix<double> turned_q = rotated(in, q, 0), turned_k = rotated(in, k, 0);
  Largest largest;
  for (const Index m : some_queries(q.rows())) {
    double plain = 0, turned = 0;
    for (Index n = 0; n < k.rows(); ++n) {
      if (!sees(in, m, n)) continue;
      plain += q.row(m).dot(k.row(n));
      turned += turned_q.row(m).dot(turned_k.row(n));
    }
    if (plain != 0) largest.see(std::abs(1 - turned / plain));
  }
  return largest.value();
}

double expected_shift_change(const LinearInputs& in, const FeatureMap<double>& features,
                             Position shift) {
  const auto of_queries = [&](Position s) { return features.of_queries(rotated(in, in.q, s)); };
  const auto of_keys = [&](Position s) { return features.of_keys(rotated(in, in.k, s)); };
  const Matrix<double> q = of_queries(0), k = of_keys(0);
  const Matrix<double> moved_q = of_queries(shift), moved_k = of_keys(shift);
  Largest largest;
  for (const Index m : some_queries(q.rows())) {
    const std::vector<double> here = weights_of(in, q, k, m);
    const std::vector<double> there = weights_of(in, moved_q, moved_k, m);
    for (std::size_t n = 0; n < here.size(); ++n) largest.see(std::abs(there[n] - here[n]));
  }
  return largest.value();
}

double features_to_resolve(const LinearInputs& in) {
  const Matrix<double> q = rotated(in, in.q, 0), k = rotated(in, in.k, 0);
  const double root = std::sqrt(static_cast<double>(q.cols()));
  std::vector<double> sizes;
  Largest all;  // a NaN has no place in an order
  for (Index m = 0; m < q.rows(); ++m)
    for (Index n = 0; n < k.rows(); ++n)
      if (sees(in, m, n)) {
        sizes.push_back((q.row(m) + k.row(n)).squaredNorm() / root);
        all.see(sizes.back());
      }
  if (std::isnan(all.value())) return all.value();
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return std::expm1(*middle);
}

}  // namespace orrery
