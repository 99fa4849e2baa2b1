#include "core/attention/feature_map.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/kernels/linear.h"
#include "core/product.h"
#include "core/random.h"

namespace orrery {
namespace {

/// A matrix with orthonormal rows, [d, d], uniformly distributed: Q of the QR decomposition of
/// independent normals, made unique by a positive diagonal of R.
Matrix<double> random_rotation(Random& random, Index d) {
  const Matrix<double> draws = normal_matrix<double>(random, d, d);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(draws);
  Matrix<double> rotation = qr.householderQ() * Eigen::MatrixXd::Identity(d, d);
  for (Index c = 0; c < d; ++c)
    if (qr.matrixQR()(c, c) < 0) rotation.col(c) = -rotation.col(c);
  return rotation;
}

}  // namespace

const std::vector<FeatureName>& feature_names() {
  static const std::vector<FeatureName> names{
      {FeatureKind::elu, "elu_plus_one", "elu + 1", "elu(x) + 1: Katharopoulos et al. 2020"},
      {FeatureKind::relu, "relu", "relu", "$\\max(x, 0)$"},
      {FeatureKind::favor, "favor", "FAVOR+",
       "FAVOR+: positive random features of $\\exp(q·k/\\sqrt{d})$, Choromanski et al. 2021"}};
  return names;
}

const FeatureName& feature_named(std::string_view name) {
  for (const FeatureName& feature : feature_names())
    if (feature.name == name) return feature;
  throw UsageError(fmt::format("{}", name), "is not a feature map",
                   "choose elu_plus_one, relu or favor");
}

template <class T>
Matrix<T> EluPlusOne<T>::of_queries(const MatrixIn<T>& q) const {
  const auto& kernels = kernels::linear_kernels<T>();
  const auto columns = static_cast<std::size_t>(q.cols());
  Matrix<T> features(q.rows(), q.cols());
  if (q.outerStride() == q.cols())
    kernels.elu_plus_one(static_cast<std::size_t>(q.size()), q.data(), features.data());
  else
    for (Index i = 0; i < q.rows(); ++i)
      kernels.elu_plus_one(columns, q.row(i).data(), features.row(i).data());
  return features;
}

template <class T>
Matrix<T> EluPlusOne<T>::pull_back(const MatrixIn<T>& x, const MatrixIn<T>& features,
                                   const MatrixIn<T>& d_features) const {
  return d_features.array() * (x.array() > T(0)).select(T(1), features.array());
}

template <class T>
Matrix<T> Relu<T>::of_queries(const MatrixIn<T>& q) const {
  return q.unaryExpr([](T x) { return x < 0 ? T(0) : x; });  // cwiseMax may drop a NaN
}

template <class T>
Matrix<T> Relu<T>::pull_back(const MatrixIn<T>& x, const MatrixIn<T>& /*features*/,
                             const MatrixIn<T>& d_features) const {
  return (x.array() > T(0)).select(d_features.array(), T(0));
}

namespace {

/// Multiplies x, so that products of two approach q·k/√d.
template <class T>
T favor_scale(Index d) {
  return std::pow(static_cast<T>(d), T(-0.25));
}

}  // namespace

template <class T>
Favor<T>::Favor(Matrix<T> projection) : projection_(std::move(projection)) {}

template <class T>
Favor<T> Favor<T>::orthogonal(std::int64_t seed, Index features, Index d) {
  if (features < 1 || d < 1)
    throw UsageError(fmt::format("features={} for d={}", features, d), "must both be at least 1",
                     "performers use about d·ln d features");
  Random random(seed, "FAVOR+ projection");
  Matrix<double> rows(features, d);
  for (Index start = 0; start < features; start += d) {
    const Index used = std::min(d, features - start);
    rows.middleRows(start, used) = random_rotation(random, d).topRows(used);
  }
  for (Index r = 0; r < features; ++r) rows.row(r) *= normal_matrix<double>(random, 1, d).norm();
  return Favor(rows.template cast<T>());
}

template <class T>
Matrix<T> Favor<T>::of_queries(const MatrixIn<T>& q) const {
  if (q.cols() != projection_.cols())
    throw UsageError(fmt::format("q or k with {} channels", q.cols()),
                     fmt::format("the projection was drawn for {}", projection_.cols()),
                     "draw it for as many channels");
  const T scale = favor_scale<T>(q.cols());
  const Matrix<T> x = q * scale;
  Matrix<T> exponent = product_with_transpose<T>(x, projection_);
  exponent.colwise() -= (x.rowwise().squaredNorm() / T(2)).eval();
  const T norm = T(1) / std::sqrt(static_cast<T>(projection_.rows()));
  return exponent.unaryExpr([norm](T e) { return norm * std::exp(e); });
}

// φ_r' = φ_r (w_r − x')·d^(−1/4)
template <class T>
Matrix<T> Favor<T>::pull_back(const MatrixIn<T>& x, const MatrixIn<T>& features,
                              const MatrixIn<T>& d_features) const {
  const T scale = favor_scale<T>(x.cols());
  const Matrix<T> by_exponent = d_features.cwiseProduct(features);
  Matrix<T> d_x = product<T>(by_exponent, projection_);
  d_x.array() -= x.array().colwise() * (by_exponent.rowwise().sum().array() * scale);
  return d_x * scale;
}

template class EluPlusOne<float>;
template class EluPlusOne<double>;
template class Relu<float>;
template class Relu<double>;
template class Favor<float>;
template class Favor<double>;

}  // namespace orrery
