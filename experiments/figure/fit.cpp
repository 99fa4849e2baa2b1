#include "experiments/figure/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiments/figure/scale.h"

namespace orrery {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = 1e150;    ///< differences of shown values stay finite
constexpr double smallest = 1e-300;  ///< and their logarithms, too
constexpr double air = 0.04;         ///< above and below the curves
constexpr double near_zero = 0.35;   ///< a least value below this part of the greatest: start at 0
constexpr double log_reach =
    1e-3;  ///< what a log axis shows below its greatest, if nothing is known

class Extent {
 public:
  explicit Extent(AxisScale scale) : scale_(scale) {}
  void add(double value) {
    if (!is_shown(scale_, value)) return;
    range_ = {std::min(range_.min, value), std::max(range_.max, value)};
  }
  template <typename Values>
  void add_all(const Values& values) {
    for (const double value : values) add(value);
  }
  bool empty() const { return range_.min > range_.max; }
  Range range() const {
    if (!empty()) return range_;
    const bool log = scale_ == AxisScale::log2 || scale_ == AxisScale::log10;
    return log ? Range{1.0, 10.0} : Range{0.0, 1.0};
  }

 private:
  AxisScale scale_;
  Range range_{infinity, -infinity};
};

bool is_log(AxisScale scale) { return scale == AxisScale::log2 || scale == AxisScale::log10; }

/// A single value in the middle of something.
Range opened(const Range& range, AxisScale scale) {
  if (range.max - range.min > std::abs(range.max) * 1e-14) return range;
  if (is_log(scale)) return {range.min / 2.0, range.max * 2.0};
  const double half = range.max == 0.0 ? 1.0 : 0.5 * std::abs(range.max);
  return {range.min - half, range.max + half};
}

template <typename Visit>
void each_visible(const LinePlot& plot, const FigureView& view, Visit visit) {
  const bool all_hidden = std::all_of(plot.series.begin(), plot.series.end(), [&](const Series& s) {
    return view.hidden.contains(s.name);
  });
  for (const Series& series : plot.series) {
    if (all_hidden || !view.hidden.contains(series.name)) visit(series);
  }
}

Range curves_x(const LinePlot& plot, const FigureView& view, AxisScale scale) {
  Extent extent(scale);
  each_visible(plot, view, [&](const Series& series) { extent.add_all(series.x); });
  for (const Rule& rule : plot.rules) {
    if (rule.direction == Rule::Direction::vertical) extent.add(rule.at);
  }
  return opened(extent.range(), scale);
}

Range curves_y(const LinePlot& plot, const FigureView& view, AxisScale scale) {
  Extent extent(scale);
  each_visible(plot, view, [&](const Series& series) {
    extent.add_all(series.y);
    extent.add_all(series.band_low);
    extent.add_all(series.band_high);
  });
  for (const Rule& rule : plot.rules) {
    if (rule.direction == Rule::Direction::horizontal) extent.add(rule.at);
  }
  return opened(extent.range(), scale);
}

Range aired(const Range& data, const Axis& axis, AxisScale scale) {
  Range range = widened(data, scale, axis.symlog_threshold, air);
  const bool from_zero = scale == AxisScale::linear && data.min >= 0.0;
  if (from_zero && data.min <= near_zero * data.max) range.min = 0.0;
  return range;
}

}  // namespace

Range usable_range(const Range& wanted, AxisScale scale, const Range& data) {
  Range range{std::isfinite(wanted.min) ? wanted.min : data.min,
              std::isfinite(wanted.max) ? wanted.max : data.max};
  if (range.min > range.max) std::swap(range.min, range.max);
  if (is_log(scale)) {
    if (!(range.max > 0.0)) range.max = data.max > 0.0 ? data.max : 1.0;
    if (!(range.min > 0.0)) {
      range.min = data.min > 0.0 && data.min < range.max ? data.min : range.max * log_reach;
    }
    range.min = std::max(range.min, smallest);
    range.max = std::max(range.max, range.min);
  }
  range.min = std::clamp(range.min, -largest, largest);
  range.max = std::clamp(range.max, -largest, largest);
  return opened(range, scale);
}

Range fitted_x(const LinePlot& plot, const FigureView& view) {
  const AxisScale scale = view.x_scale.value_or(plot.x.scale);
  const Range data = curves_x(plot, view, scale);
  return usable_range(plot.x.range.value_or(data), scale, data);
}

Range fitted_y(const LinePlot& plot, const FigureView& view) {
  const AxisScale scale = view.y_scale.value_or(plot.y.scale);
  const Range data = curves_y(plot, view, scale);
  return usable_range(plot.y.range.value_or(aired(data, plot.y, scale)), scale, data);
}

namespace {

template <typename Values>
Range range_of(const Values& values, const Array* masked) {
  using T = typename Values::value_type;
  T low = std::numeric_limits<T>::infinity(), high = -low;
  const auto include = [&](T v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  };
  if (!masked) {
    for (const T v : values) include(v);
  } else {
    std::visit(
        [&](const auto& mask) {
          for (std::size_t i = 0; i < std::min(values.size(), mask.size()); ++i) {
            if (mask[i] == 0) include(values[i]);
          }
        },
        masked->values);
  }
  return low <= high ? Range{static_cast<double>(low), static_cast<double>(high)} : Range{};
}

}  // namespace

Range value_range(const Array& values, const Array* masked) {
  return std::visit([masked](const auto& v) { return range_of(v, masked); }, values.values);
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
  return range;
}

}  // namespace orrery
