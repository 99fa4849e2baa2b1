#include "app/views/plot_ranges.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

// In a range smaller than this fraction of its values, doubles cannot tell ticks apart.
constexpr double min_relative_span = 1e-10;
constexpr double max_magnitude = 1e200;

std::optional<Range> showable(double a, double b, AxisScale scale) {
  const Range range{std::min(a, b), std::max(a, b)};
  if (!std::isfinite(range.min) || !std::isfinite(range.max)) return std::nullopt;
  const double magnitude = std::max(std::abs(range.min), std::abs(range.max));
  if (magnitude > max_magnitude) return std::nullopt;
  if (!(range.max - range.min > min_relative_span * magnitude)) return std::nullopt;
  const bool logarithmic = scale == AxisScale::log2 || scale == AxisScale::log10;
  if (logarithmic && range.min <= 0.0) return std::nullopt;
  return range;
}

}  // namespace

std::optional<Range> between_pixels(const AxisMap& axis, double a, double b) {
  return showable(axis.to_data(a), axis.to_data(b), axis.scale);
}

std::optional<Range> panned(const AxisMap& axis, double by) {
  return between_pixels(axis, axis.at_min - by, axis.at_max - by);
}

std::optional<Range> zoomed(const AxisMap& axis, double at, double factor) {
  return between_pixels(axis, at + (axis.at_min - at) * factor, at + (axis.at_max - at) * factor);
}

Range kept_within(Range range, const Range& home) {
  const double span = std::min(range.max - range.min, home.max - home.min);
  const double low = std::clamp(range.min, home.min, home.max - span);
  return {low, low + span};
}

}  // namespace orrery
