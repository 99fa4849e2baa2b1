#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace orrery {

/// φ of eq. (18): maps queries and keys to non-negative features whose products approximate
/// exp(q·k/√d) or replace it.
template <class T>
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  virtual Index features(Index d) const = 0;  ///< columns of the result for d channels
  virtual Matrix<T> of_queries(const MatrixIn<T>& q) const = 0;
  virtual Matrix<T> of_keys(const MatrixIn<T>& k) const = 0;
  /// ∂loss by x, queries or keys, from that by their features φ(x). [N, d]
  virtual Matrix<T> pull_back(const MatrixIn<T>& x, const MatrixIn<T>& features,
                              const MatrixIn<T>& d_features) const = 0;
};

enum class FeatureKind { elu, relu, favor };

/// A feature map by its name.
struct FeatureName {
  FeatureKind kind{};
  std::string name{};         ///< "elu_plus_one": in parameters, keys and columns
  std::string label{};        ///< "elu + 1": in legends
  std::string description{};  ///< "elu(x) + 1: …"
};
const std::vector<FeatureName>& feature_names();
/// Throws UsageError for another name.
const FeatureName& feature_named(std::string_view name);

/// elu(x) + 1: x + 1 above 0, e^x below. Source: Katharopoulos et al. 2020 eq. (7).
template <class T>
class EluPlusOne final : public FeatureMap<T> {
 public:
  Index features(Index d) const override { return d; }
  Matrix<T> of_queries(const MatrixIn<T>& q) const override;
  Matrix<T> of_keys(const MatrixIn<T>& k) const override { return of_queries(k); }
  Matrix<T> pull_back(const MatrixIn<T>& x, const MatrixIn<T>& features,
                      const MatrixIn<T>& d_features) const override;
};

/// max(x, 0).
template <class T>
class Relu final : public FeatureMap<T> {
 public:
  Index features(Index d) const override { return d; }
  Matrix<T> of_queries(const MatrixIn<T>& q) const override;
  Matrix<T> of_keys(const MatrixIn<T>& k) const override { return of_queries(k); }
  Matrix<T> pull_back(const MatrixIn<T>& x, const MatrixIn<T>& features,
                      const MatrixIn<T>& d_features) const override;
};

/// FAVOR+, positive softmax features: φ_r(x) = M^(−1/2) exp(w_r·x' − |x'|²/2), x' = x·d^(−1/4), so
/// that the mean of φ(q)·φ(k) over w is exp(q·k/√d). Source: Choromanski et al. 2021, Lemma 1.
template <class T>
class Favor final : public FeatureMap<T> {
 public:
  /// projection [M, d], one w per row.
  explicit Favor(Matrix<T> projection);
  /// Rows orthogonal in blocks of d, with the norms of independent normals, by seed.
  /// Throws UsageError for features or d below 1.
  static Favor orthogonal(std::int64_t seed, Index features, Index d);

  Index features(Index) const override { return projection_.rows(); }
  /// Throws UsageError when x has another number of channels than w.
  Matrix<T> of_queries(const MatrixIn<T>& q) const override;
  Matrix<T> of_keys(const MatrixIn<T>& k) const override { return of_queries(k); }
  Matrix<T> pull_back(const MatrixIn<T>& x, const MatrixIn<T>& features,
                      const MatrixIn<T>& d_features) const override;

  const Matrix<T>& projection() const { return projection_; }

 private:
  Matrix<T> projection_;
};

}  // namespace orrery
