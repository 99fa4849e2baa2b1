#include "core/attention/linear_features.h"

#include <type_traits>
#include <utility>

namespace orrery {

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

}  // namespace orrery
