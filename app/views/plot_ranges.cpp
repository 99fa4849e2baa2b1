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

// This share of the bar at either end is a handle for that end; the rest moves both.
constexpr double end_part = 0.25;
// A smaller share of the previous range is an accident.
constexpr double min_part = 0.01;

Range about_zero(double end) { return {-std::abs(end), std::abs(end)}; }

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

ColorGrip color_grip_at(const FigureLayout& frame, Meaning meaning, Point cursor) {
  if (!frame.color_bar.contains(cursor) || meaning == Meaning::cyclic) return ColorGrip::none;
  const double below_top = (cursor.y - frame.color_bar.y) / frame.color_bar.height;
  const double end = meaning == Meaning::diverging ? 0.5 : end_part;
  if (below_top < end) return ColorGrip::high;
  return below_top >= 1.0 - end ? ColorGrip::low : ColorGrip::both;
}

std::optional<Range> dragged_color(const AxisMap& axis, ColorGrip grip, Meaning meaning,
                                   double from, double to) {
  if (grip == ColorGrip::none) return std::nullopt;
  const double step = axis.to_data(to) - axis.to_data(from);
  const double span = axis.data.max - axis.data.min;
  Range range = axis.data;
  if (grip != ColorGrip::high) range.min += step;
  if (grip != ColorGrip::low) range.max += step;
  if (meaning == Meaning::diverging)
    range = about_zero(std::max(0.0, grip == ColorGrip::high ? range.max : -range.min));
  const bool usable = std::isfinite(range.min) && std::isfinite(range.max) &&
                      range.max - range.min > min_part * span;
  return usable ? std::optional(range) : std::nullopt;
}

std::optional<Range> zoomed_color(const AxisMap& axis, Meaning meaning, double at, double factor) {
  if (meaning == Meaning::cyclic) return std::nullopt;
  if (meaning == Meaning::diverging) at = 0.5 * (axis.at_min + axis.at_max);
  return zoomed(axis, at, factor);
}

}  // namespace orrery
