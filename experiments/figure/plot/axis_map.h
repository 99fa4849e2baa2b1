#pragma once

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Mapping between data values and canvas coordinates on one laid-out axis.
struct AxisMap {
  AxisScale scale{AxisScale::linear};
  double symlog_threshold{1.0};
  Range data{};     ///< values at the two ends
  double at_min{};  ///< canvas coordinate of data.min
  double at_max{};
  double to_canvas(double value) const;
  double to_data(double coordinate) const;
  friend bool operator==(const AxisMap&, const AxisMap&) = default;
};

/// The increasing function behind a scale: v, log2 v, log10 v, or for symlog v/T within ±T and
/// sign(v)·(1 + log10 |v|/T) beyond. NaN where the scale cannot show the value.
double scale_forward(AxisScale scale, double symlog_threshold, double value);
/// Inverse of scale_forward.
double scale_inverse(AxisScale scale, double symlog_threshold, double scaled);

inline bool is_log(AxisScale scale) {
  return scale == AxisScale::log2 || scale == AxisScale::log10;
}
/// Whether the scale can show the value: it is finite, and above 0 on a log axis.
bool is_shown(AxisScale scale, double value);

/// `wanted` if it is a usable symlog threshold (positive, neither tiny nor huge), else 1.
double usable_threshold(double wanted);

/// `range` extended at both ends by this fraction of its length as drawn on the scale.
Range widened(const Range& range, AxisScale scale, double symlog_threshold, double fraction);

/// An AxisMap with precomputed constants, for mapping many values.
class ScaleMap {
 public:
  explicit ScaleMap(const AxisMap& axis);
  /// Canvas coordinate, at most a million axis lengths away from the axis; NaN where the scale
  /// cannot show the value.
  double to_canvas(double value) const;
  double to_data(double coordinate) const;

 private:
  AxisMap axis_;
  double low_{};
  double span_{};
};

}  // namespace orrery
