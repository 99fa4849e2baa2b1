#include "core/attention/linear_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/errors.h"
#include "core/product.h"

namespace orrery {
namespace {

template <class T>
void check_inputs(const AttentionInputs<T>& in) {
  check_positions(in.m, in.q.rows());
  check_positions(in.n, in.k.rows());
  if (in.v.rows() != in.k.rows() || in.q.cols() != in.k.cols())
    throw UsageError(fmt::format("q with {} channels, k of [{}, {}], v with {} rows", in.q.cols(),
                                 in.k.rows(), in.k.cols(), in.v.rows()),
                     "q and k share their channels, k and v their rows",
                     "give arrays of the same head");
}

/// Features above and below the fraction bar.
template <class T>
struct Features {
  Matrix<double> q_above, k_above;
  Matrix<double> q_below, k_below;
};

template <class T>
Features<T> features_of(const AttentionInputs<T>& in, const FeatureMap<T>& map,
                        const QkTransform<T>* rotation, LinearVariant variant) {
  Matrix<T> q = in.q;
  Matrix<T> k = in.k;
  if (rotation && variant == LinearVariant::rotated_before_features) {
    rotation->transform_queries(in.m, q);
    rotation->transform_keys(in.n, k);
  }
  Matrix<T> phi_q = map.of_queries(q);
  Matrix<T> phi_k = map.of_keys(k);
  Features<T> f{{}, {}, phi_q.template cast<double>(), phi_k.template cast<double>()};
  if (rotation && variant != LinearVariant::rotated_before_features) {
    rotation->transform_queries(in.m, phi_q);
    rotation->transform_keys(in.n, phi_k);
  }
  f.q_above = phi_q.template cast<double>();
  f.k_above = phi_k.template cast<double>();
  if (variant == LinearVariant::both_rotated) {
    f.q_below = f.q_above;
    f.k_below = f.k_above;
  }
  return f;
}

std::vector<std::size_t> by_position(PositionsIn positions) {
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return positions[a] < positions[b]; });
  return order;
}

/// Σ φ(k_n) v_nᵀ and Σ φ(k_n) above, and Σ φ(k_n) below, over the keys seen so far.
struct State {
  Matrix<double> above;       ///< [features, d_v]
  Matrix<double> above_keys;  ///< [1, features]
  Matrix<double> below;       ///< [1, features]

  template <class T>
  void see(const Features<T>& f, const Matrix<double>& v, Index key) {
    above += f.k_above.row(key).transpose() * v.row(key);
    above_keys += f.k_above.row(key);
    below += f.k_below.row(key);
  }
};

template <class T>
void answer(const Features<T>& f, const State& state, Index query, double epsilon,
            LinearOutput<T>& out) {
  const double normalizer = f.q_below.row(query).dot(state.below.row(0)) + epsilon;
  out.normalizers(query, 0) = static_cast<T>(normalizer);
  out.numerators(query, 0) = static_cast<T>(f.q_above.row(query).dot(state.above_keys.row(0)));
  if (normalizer == 0) {
    ++out.zero_normalizers;
    return;
  }
  out.output.row(query) = (f.q_above.row(query) * state.above / normalizer).template cast<T>();
}

}  // namespace

template <class T>
LinearOutput<T> linear_attention(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                 const QkTransform<T>* rotation, const LinearOptions& options) {
  check_inputs(in);
  const Features<T> f = features_of(in, features, rotation, options.variant);
  const Matrix<double> v = in.v.template cast<double>();
  State state{Matrix<double>::Zero(f.k_above.cols(), v.cols()),
              Matrix<double>::Zero(1, f.k_above.cols()), Matrix<double>::Zero(1, f.k_below.cols())};
  const Index queries = in.q.rows();
  LinearOutput<T> out{Matrix<T>::Zero(queries, in.v.cols()), Matrix<T>(queries, 1),
                      Matrix<T>(queries, 1)};
  const std::vector<std::size_t> keys = by_position(in.n);
  std::size_t seen = 0;
  for (const std::size_t query : by_position(in.m)) {
    while (seen < keys.size() && (!options.causal || in.n[keys[seen]] <= in.m[query]))
      state.see(f, v, static_cast<Index>(keys[seen++]));
    answer(f, state, static_cast<Index>(query), options.epsilon, out);
  }
  return out;
}

template <class T>
Matrix<T> linear_attention_weights(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                   const QkTransform<T>* rotation, const LinearOptions& options,
                                   const Mask& mask) {
  check_inputs(in);
  mask.check_shape(in.q.rows(), in.k.rows());
  const Features<T> f = features_of(in, features, rotation, options.variant);
  const Mask seen = options.causal ? mask & Mask::causal(in.m, in.n) : mask;
  Matrix<double> above = product_with_transpose<double>(f.q_above, f.k_above);
  Matrix<double> below = product_with_transpose<double>(f.q_below, f.k_below);
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
