#include "core/attention/linear_attention.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "core/errors.h"
#include "core/product.h"

namespace orrery {
namespace {

template <class T>
void check_linear_inputs(const AttentionInputs<T>& in) {
  check_positions(in.m, in.q.rows());
  check_positions(in.n, in.k.rows());
  if (in.v.rows() != in.k.rows() || in.q.cols() != in.k.cols())
    throw UsageError(fmt::format("q with {} channels, k of [{}, {}], v with {} rows", in.q.cols(),
                                 in.k.rows(), in.k.cols(), in.v.rows()),
                     "q and k share their channels, k and v their rows",
                     "give arrays of the same head");
}

}  // namespace

template <class T, class S>
FeatureRows<S> feature_rows(const LinearFeatures<T>& features, FeaturesOf side, PositionsIn at,
                            const MatrixIn<T>& rows, Index padding) {
  const auto rotate = [&](MatrixOut<T> x) {
    if (side == FeaturesOf::queries)
      features.rotation->transform_queries(at, x);
    else
      features.rotation->transform_keys(at, x);
  };
  const auto mapped = [&](const MatrixIn<T>& x) {
    return side == FeaturesOf::queries ? features.map.of_queries(x) : features.map.of_keys(x);
  };
  const bool first = features.variant == LinearVariant::rotated_before_features;
  Matrix<T> phi;
  if (features.rotation && first) {
    Matrix<T> turned = rows;
    rotate(turned);
    phi = mapped(turned);
  } else {
    phi = mapped(rows);
  }
  FeatureRows<S> made{Matrix<S>(rows.rows() + padding, phi.cols()), {}};
  auto above = made.above.topRows(rows.rows());
  made.above.bottomRows(padding).setZero();
  if constexpr (std::is_same_v<S, T>) {
    above = phi;
    made.below = std::move(phi);
    if (features.rotation && !first) rotate(above);
  } else {
    made.below = phi.template cast<S>();
    if (features.rotation && !first) rotate(phi);
    above = phi.template cast<S>();
  }
  if (features.variant == LinearVariant::both_rotated) made.below = above;
  return made;
}

#define ORRERY_INSTANTIATE(T, S)                                                          \
  template FeatureRows<S> feature_rows(const LinearFeatures<T>&, FeaturesOf, PositionsIn, \
                                       const MatrixIn<T>&, Index)

ORRERY_INSTANTIATE(float, float);
ORRERY_INSTANTIATE(float, double);
ORRERY_INSTANTIATE(double, double);
#undef ORRERY_INSTANTIATE

template <class T>
LinearOutput<T> linear_attention(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                 const QkTransform<T>* rotation, const LinearOptions& options) {
  check_linear_inputs(in);
  const LinearFeatures<T> made{features, rotation, options.variant};
  std::optional<LinearOutput<T>> out = linear_attention_in<T, T>(in, made, options);
  if (!out && sizeof(T) < sizeof(double)) out = linear_attention_in<T, double>(in, made, options);
  if (!out) out = linear_attention_in<T, double>(in, made, options, true);
  return std::move(*out);
}

template <class T>
Matrix<T> linear_attention_weights(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                   const QkTransform<T>* rotation, const LinearOptions& options,
                                   const Mask& mask) {
  check_linear_inputs(in);
  mask.check_shape(in.q.rows(), in.k.rows());
  const LinearFeatures<T> made{features, rotation, options.variant};
  const auto q = feature_rows<T, double>(made, FeaturesOf::queries, in.m, in.q);
  const auto k = feature_rows<T, double>(made, FeaturesOf::keys, in.n, in.k);
  const Mask seen = options.causal ? mask & Mask::causal(in.m, in.n) : mask;
  Matrix<double> above =
      product_with_transpose<double>(q.above.topRows(in.q.rows()), k.above.topRows(in.k.rows()));
  Matrix<double> below = product_with_transpose<double>(q.below, k.below);
  for (Index i = 0; i < above.rows(); ++i)
    for (Index j = 0; j < above.cols(); ++j)
      if (!seen.allows(i, j)) above(i, j) = below(i, j) = 0;
  for (Index i = 0; i < above.rows(); ++i) {
    const double normalizer = below.row(i).sum() + options.epsilon;
    if (normalizer == 0)
      above.row(i).setZero();
    else
      above.row(i) /= normalizer;
  }
  return above.template cast<T>();
}

template LinearOutput<float> linear_attention(const AttentionInputs<float>&,
                                              const FeatureMap<float>&, const QkTransform<float>*,
                                              const LinearOptions&);
template LinearOutput<double> linear_attention(const AttentionInputs<double>&,
                                               const FeatureMap<double>&,
                                               const QkTransform<double>*, const LinearOptions&);
template Matrix<float> linear_attention_weights(const AttentionInputs<float>&,
                                                const FeatureMap<float>&, const QkTransform<float>*,
                                                const LinearOptions&, const Mask&);
template Matrix<double> linear_attention_weights(const AttentionInputs<double>&,
                                                 const FeatureMap<double>&,
                                                 const QkTransform<double>*, const LinearOptions&,
                                                 const Mask&);

}  // namespace orrery
