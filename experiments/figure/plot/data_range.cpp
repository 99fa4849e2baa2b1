#include "experiments/figure/plot/data_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "experiments/figure/plot/axis_map.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_view.h"

namespace orrery {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = 1e150;          ///< keeps differences of shown values finite
constexpr double smallest_range = 1e-280;  ///< keeps their logarithms finite
constexpr double curve_margin = 0.04;  ///< above and below the curves, as a share of their range
/// A range of positive values starts at 0 if its min is below this share of its max.
constexpr double near_zero = 0.35;
/// Lowest value of a log axis relative to its highest, if the data give none.
constexpr double log_reach = 1e-3;

/// Running minimum and maximum of the values that a scale can show.
class Extent {
 public:
  explicit Extent(AxisScale scale) : scale_(scale) {}
  void add(double value) {
    if (!is_shown(scale_, value)) return;
    range_ = {std::min(range_.min, value), std::max(range_.max, value)};
  }
  void add_all(const std::vector<double>& values, CurveCache& cache) {
    const Range& all = extent_of(values, scale_, cache);
    range_ = {std::min(range_.min, all.min), std::max(range_.max, all.max)};
  }
  const Range& found() const { return range_; }
  Range range() const {
    if (range_.min <= range_.max) return range_;
    return is_log(scale_) ? Range{1.0, 10.0} : Range{0.0, 1.0};
  }

 private:
  AxisScale scale_;
  Range range_{infinity, -infinity};
};

/// `range`, or an interval around it if it is a single value. Ends that differ only by rounding, or
/// by less than a representable tick step, count as a single value.
Range with_extent(const Range& range, AxisScale scale) {
  const double size = std::max(std::abs(range.min), std::abs(range.max));
  if (range.max - range.min > std::max(size * 1e-14, smallest_range)) return range;
  if (is_log(scale)) return {range.min / 2.0, range.max * 2.0};
  const double half = size <= smallest_range ? 1.0 : 0.5 * size;
  return {range.min - half, range.max + half};
}

template <typename Visit>
void for_each_visible(const LinePlot& plot, const FigureView& view, Visit visit) {
  const bool all_hidden =
      std::ranges::all_of(plot.series, [&](const Series& s) { return view.hides(s); });
  for (const Series& series : plot.series) {
    if (all_hidden || !view.hides(series)) visit(series);
  }
}

/// Of these numbers of the curves, and of the reference lines of one direction.
Range curves_range(const LinePlot& plot, const FigureView& view, AxisScale scale, CurveCache& cache,
                   std::initializer_list<std::vector<double> Series::*> numbers,
                   Rule::Direction direction) {
  Extent extent(scale);
  for_each_visible(plot, view, [&](const Series& series) {
    for (const auto member : numbers) extent.add_all(series.*member, cache);
  });
  for (const Rule& rule : plot.rules)
    if (rule.direction == direction) extent.add(rule.at);
  return with_extent(extent.range(), scale);
}

Range padded(const Range& data, double threshold, AxisScale scale) {
  Range range = widened(data, scale, usable_threshold(threshold), curve_margin);
  const bool from_zero = scale == AxisScale::linear && data.min >= 0.0;
  if (from_zero && data.min <= near_zero * data.max) range.min = 0.0;
  return range;
}

}  // namespace

const Range& extent_of(const std::vector<double>& values, AxisScale scale, CurveCache& cache) {
  return cache.extent({array_key(values), scale}, [&] {
    Extent extent(scale);
    for (const double value : values) extent.add(value);
    return extent.found();
  });
}

Range usable_range(const Range& wanted, AxisScale scale, const Range& data) {
  Range range{std::isfinite(wanted.min) ? wanted.min : data.min,
              std::isfinite(wanted.max) ? wanted.max : data.max};
  if (range.min > range.max) std::swap(range.min, range.max);
  if (is_log(scale)) {
    if (!(range.max > 0.0)) range.max = data.max > 0.0 ? data.max : 1.0;
    if (!(range.min > 0.0))
      range.min = data.min > 0.0 && data.min < range.max ? data.min : range.max * log_reach;
    range.min = std::max(range.min, smallest_range);
    range.max = std::max(range.max, range.min);
  }
  range.min = std::clamp(range.min, -largest, largest);
  range.max = std::clamp(range.max, -largest, largest);
  return with_extent(range, scale);
}

Range fitted_x(const LinePlot& plot, const FigureView& view, CurveCache& cache) {
  const AxisScale scale = view.x_scale.value_or(plot.x.scale);
  const Range data =
      curves_range(plot, view, scale, cache, {&Series::x}, Rule::Direction::vertical);
  return usable_range(plot.x.range.value_or(data), scale, data);
}

Range fitted_y(const LinePlot& plot, const FigureView& view, CurveCache& cache) {
  const AxisScale scale = view.y_scale.value_or(plot.y.scale);
  const Range data =
      curves_range(plot, view, scale, cache, {&Series::y, &Series::band_low, &Series::band_high},
                   Rule::Direction::horizontal);
  const double threshold = view.y_threshold.value_or(plot.y.symlog_threshold);
  return usable_range(plot.y.range.value_or(padded(data, threshold, scale)), scale, data);
}

void widen(std::optional<Range>& range, const std::optional<Range>& other) {
  if (!range || !other) return;
  range = Range{std::min(range->min, other->min), std::max(range->max, other->max)};
}

namespace {

/// Several running extents side by side, so that the compiler can vectorise; NaN compares false and
/// is ignored.
template <typename T>
class Lanes {
 public:
  Lanes() {
    low_.fill(none);
    high_.fill(-none);
  }
  void add(std::size_t lane, T v, bool counts) {
    const bool finite = counts && std::abs(v) < none;
    low_[lane] = finite && v < low_[lane] ? v : low_[lane];
    high_[lane] = finite && v > high_[lane] ? v : high_[lane];
  }
  Range range() const {
    const T low = *std::ranges::min_element(low_);
    const T high = *std::ranges::max_element(high_);
    return low <= high ? Range{static_cast<double>(low), static_cast<double>(high)} : Range{};
  }
  static constexpr std::size_t count = 16;

 private:
  static constexpr T none = std::numeric_limits<T>::infinity();
  std::array<T, count> low_;
  std::array<T, count> high_;
};

template <typename T, typename Counts>
Range range_of(const std::vector<T>& values, Counts counts) {
  Lanes<T> lanes;
  const std::size_t whole = values.size() - values.size() % Lanes<T>::count;
  for (std::size_t i = 0; i < whole; i += Lanes<T>::count) {
    for (std::size_t k = 0; k < Lanes<T>::count; ++k) lanes.add(k, values[i + k], counts(i + k));
  }
  for (std::size_t i = whole; i < values.size(); ++i) lanes.add(0, values[i], counts(i));
  return lanes.range();
}

}  // namespace

Range value_range(const Array& values, const Array* masked) {
  return std::visit(
      [masked](const auto& v) {
        if (!masked || masked->size() != v.size())
          return range_of(v, [](std::size_t) { return true; });
        return std::visit(
            [&](const auto& mask) {
              return range_of(v, [&](std::size_t i) { return mask[i] == 0; });
            },
            masked->values);
      },
      values.values);
}

Range color_range(Meaning meaning, const Range& values, const std::optional<Range>& wanted) {
  constexpr double pi = std::numbers::pi;
  Range range = usable_range(wanted.value_or(values), AxisScale::linear, values);
  if (meaning == Meaning::diverging) {
    const double most = std::max(std::abs(range.min), std::abs(range.max));
    return {-most, most};
  }
  if (meaning == Meaning::cyclic && !wanted) {
    constexpr double rounding = 1e-6;
    return values.min < -rounding ? Range{-pi, pi} : Range{0.0, 2.0 * pi};
  }
  const bool from_zero = !wanted && values.min >= 0.0 && values.min <= near_zero * values.max;
  if (meaning == Meaning::sequential && from_zero) range.min = 0.0;
  return range;
}

}  // namespace orrery
