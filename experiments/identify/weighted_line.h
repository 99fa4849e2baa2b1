#pragma once

#include <cmath>

namespace orrery {

/// y = intercept + slope·x by weighted least squares, weights 1/σ². Points may be added one by one.
struct WeightedLine {
  double w{0}, wx{0}, wxx{0}, wy{0}, wxy{0};

  void add(double x, double y, double weight) {
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wy += weight * y;
    wxy += weight * x * y;
  }

  double determinant() const { return w * wxx - wx * wx; }
  /// Whether points of more than one x say the slope.
  bool is_told() const { return determinant() > 1e-12 * w * wxx; }
  double slope() const { return (w * wxy - wx * wy) / determinant(); }
  double intercept() const { return (wy - slope() * wx) / w; }
  double slope_variance() const { return w / determinant(); }
  double intercept_variance() const { return wxx / determinant(); }
  double covariance() const { return -wx / determinant(); }
  /// The slope of the line through (0, 0).
  double slope_from_zero() const { return wxy / wxx; }
};

}  // namespace orrery
