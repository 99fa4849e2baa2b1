#include "experiments/figure/plot/axis_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

constexpr double not_shown = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest_threshold = 1e-100;
constexpr double max_lengths = 1e6;  ///< largest distance from the axis, in lengths of the axis

double symlog_forward(double value, double threshold) {
  const double size = std::abs(value);
  const double scaled =
      size <= threshold ? size / threshold : 1.0 + std::log10(size) - std::log10(threshold);
  return std::copysign(scaled, value);
}

double symlog_inverse(double scaled, double threshold) {
  const double size = std::abs(scaled);
  return std::copysign((size <= 1.0 ? size : std::pow(10.0, size - 1.0)) * threshold, scaled);
}

}  // namespace

double usable_threshold(double wanted) {
  return wanted >= smallest_threshold && wanted <= 1.0 / smallest_threshold ? wanted : 1.0;
}

bool is_shown(AxisScale scale, double value) {
  return std::isfinite(value) && (!is_log(scale) || value > 0.0);
}

double scale_forward(AxisScale scale, double symlog_threshold, double value) {
  if (!is_shown(scale, value)) return not_shown;
  switch (scale) {
    case AxisScale::linear:
      return value;
    case AxisScale::log2:
      return std::log2(value);
    case AxisScale::log10:
      return std::log10(value);
    case AxisScale::symlog:
      return symlog_forward(value, symlog_threshold);
  }
  return not_shown;
}

double scale_inverse(AxisScale scale, double symlog_threshold, double scaled) {
  switch (scale) {
    case AxisScale::linear:
      return scaled;
    case AxisScale::log2:
      return std::exp2(scaled);
    case AxisScale::log10:
      return std::pow(10.0, scaled);
    case AxisScale::symlog:
      return symlog_inverse(scaled, symlog_threshold);
  }
  return not_shown;
}

Range widened(const Range& range, AxisScale scale, double symlog_threshold, double fraction) {
  const double low = scale_forward(scale, symlog_threshold, range.min);
  const double high = scale_forward(scale, symlog_threshold, range.max);
  const double padding = (high - low) * fraction;
  const Range wide{scale_inverse(scale, symlog_threshold, low - padding),
                   scale_inverse(scale, symlog_threshold, high + padding)};
  return is_shown(scale, wide.min) && is_shown(scale, wide.max) ? wide : range;
}

ScaleMap::ScaleMap(const AxisMap& axis)
    : axis_(axis),
      low_(scale_forward(axis.scale, axis.symlog_threshold, axis.data.min)),
      span_(scale_forward(axis.scale, axis.symlog_threshold, axis.data.max) - low_) {}

double ScaleMap::to_canvas(double value) const {
  const double scaled = scale_forward(axis_.scale, axis_.symlog_threshold, value);
  if (std::isnan(scaled)) return not_shown;
  const double length = axis_.at_max - axis_.at_min;
  // On a range without extent every value is in the middle.
  if (!(span_ != 0.0)) return axis_.at_min + 0.5 * length;
  return axis_.at_min + std::clamp((scaled - low_) / span_, -max_lengths, max_lengths) * length;
}

double ScaleMap::to_data(double coordinate) const {
  const double length = axis_.at_max - axis_.at_min;
  const double fraction = length != 0.0 ? (coordinate - axis_.at_min) / length : 0.5;
  return scale_inverse(axis_.scale, axis_.symlog_threshold, low_ + fraction * span_);
}

double AxisMap::to_canvas(double value) const { return ScaleMap(*this).to_canvas(value); }
double AxisMap::to_data(double coordinate) const { return ScaleMap(*this).to_data(coordinate); }

}  // namespace orrery
