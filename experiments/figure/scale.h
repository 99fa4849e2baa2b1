#pragma once

#include "experiments/figure/layout.h"

namespace orrery {

/// The increasing function behind a scale: v, log2 v, log10 v, or for symlog v/T within ±T and
/// sign(v)·(1 + log10 |v|/T) beyond. NaN where the scale cannot show the value.
double scale_forward(AxisScale scale, double symlog_threshold, double value);
/// Its inverse.
double scale_inverse(AxisScale scale, double symlog_threshold, double scaled);

/// Whether the scale has a place for the value: finite, and above 0 on a log axis.
bool is_shown(AxisScale scale, double value);

/// A symlog threshold to go by: 1 in place of one that is not above 0 or beyond all measure.
double usable_threshold(double wanted);

/// `range` with a little air on both sides, as the eye sees it on this scale.
Range widened(const Range& range, AxisScale scale, double symlog_threshold, double fraction);

/// An axis with its constants worked out once, for many values.
class ScaleMap {
 public:
  explicit ScaleMap(const AxisMap& axis);
  /// Canvas coordinate; NaN where the scale cannot show the value, and never further from the axis
  /// than a million times its length.
  double to_canvas(double value) const;
  double to_data(double coordinate) const;

 private:
  AxisMap axis_;
  double low_{};
  double span_{};
};

}  // namespace orrery
