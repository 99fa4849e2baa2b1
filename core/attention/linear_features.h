#pragma once

#include "core/attention/feature_map.h"
#include "core/encoding.h"

namespace orrery {

/// Whether the rotation is applied to features, and to which.
enum class LinearVariant {
  paper,                    ///< eq. (19): rotated features above, plain features below
  both_rotated,             ///< rotated features in the normaliser too: it can vanish
  rotated_before_features,  ///< φ(R_m q): what performer-pytorch does; not a function of m − n
};

/// How queries and keys become features above and below the fraction bar of eq. (19).
template <class T>
struct LinearFeatures {
  const FeatureMap<T>& map;
  const QkTransform<T>* rotation;  ///< may be null
  LinearVariant variant;
};

enum class FeaturesOf { queries, keys };

template <class S>
struct FeatureRows {
  Matrix<S> above;  ///< [rows or more, features]
  Matrix<S> below;  ///< [rows, features]
};

/// Features of rows, and `padding` rows of 0 behind those above the bar.
template <class T, class S>
FeatureRows<S> feature_rows(const LinearFeatures<T>& features, FeaturesOf side, PositionsIn at,
                            const MatrixIn<T>& rows, Index padding = 0);

}  // namespace orrery
