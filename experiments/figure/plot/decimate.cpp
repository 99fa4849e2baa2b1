#include "experiments/figure/plot/decimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "experiments/figure/plot/axis_map.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {
namespace {

constexpr double margin = 64.0;  ///< around the plot, so that the ends of cut lines are not visible
/// Curves with more points than this draw only their extent per column.
constexpr std::size_t max_points_per_column = 16;

/// Reduces the samples in each column of pixels to the first, lowest, highest and last.
class ColumnReducer {
 public:
  ColumnReducer(const AxisMap& x_axis, const AxisMap& y_axis)
      : x_(x_axis), y_(y_axis), x_scale_(x_axis.scale), y_scale_(y_axis.scale) {}

  void add(double x, double y) {
    if (!is_shown(x_scale_, x) || !is_shown(y_scale_, y)) return end_strip();
    if (in_column_ && x >= column_low_ && x < column_high_) {
      extend({x, y});
    } else {
      flush();
      start({x, y});
    }
  }

  std::vector<Strip> finish() {
    end_strip();
    return std::move(strips_);
  }

 private:
  struct Sample {
    double x{}, y{};
  };

  void start(Sample sample) {
    const double column = std::floor(x_.to_canvas(sample.x));
    column_low_ = x_.to_data(column);
    column_high_ = x_.to_data(column + 1.0);
    if (column_low_ > column_high_) std::swap(column_low_, column_high_);
    first_ = lowest_ = highest_ = last_ = sample;
    lowest_index_ = highest_index_ = index_ = 0;
    in_column_ = true;
  }

  void extend(Sample sample) {
    ++index_;
    last_ = sample;
    if (sample.y < lowest_.y) lowest_ = sample, lowest_index_ = index_;
    if (sample.y > highest_.y) highest_ = sample, highest_index_ = index_;
  }

  void flush() {
    if (!in_column_) return;
    in_column_ = false;
    emit(first_);
    const bool low_first = lowest_index_ < highest_index_;
    const std::size_t early = std::min(lowest_index_, highest_index_);
    const std::size_t late = std::max(lowest_index_, highest_index_);
    if (early > 0 && early < index_) emit(low_first ? lowest_ : highest_);
    if (late > early && late < index_) emit(low_first ? highest_ : lowest_);
    if (index_ > 0) emit(last_);
  }

  void emit(Sample sample) { strip_.push_back({x_.to_canvas(sample.x), y_.to_canvas(sample.y)}); }

  void end_strip() {
    flush();
    if (!strip_.empty()) strips_.push_back(std::exchange(strip_, {}));
  }

  ScaleMap x_;
  ScaleMap y_;
  AxisScale x_scale_;
  AxisScale y_scale_;
  bool in_column_{false};
  double column_low_{}, column_high_{};
  Sample first_{}, lowest_{}, highest_{}, last_{};
  std::size_t index_{}, lowest_index_{}, highest_index_{};
  Strip strip_;
  std::vector<Strip> strips_;
};

bool finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

Rect with_margin(const Rect& r) {
  return {r.x - margin, r.y - margin, r.width + 2.0 * margin, r.height + 2.0 * margin};
}

/// Clips the segment a–b to the bounds (Liang and Barsky); false when nothing is left.
bool cut_segment(Point& a, Point& b, const Rect& bounds) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  double enter = 0.0, leave = 1.0;
  const auto against = [&](double slope, double room) {
    if (slope == 0.0) return room >= 0.0;
    const double t = room / slope;
    if (slope < 0.0) enter = std::max(enter, t);
    if (slope > 0.0) leave = std::min(leave, t);
    return enter <= leave;
  };
  if (!against(-dx, a.x - bounds.x) || !against(dx, bounds.right() - a.x) ||
      !against(-dy, a.y - bounds.y) || !against(dy, bounds.bottom() - a.y)) {
    return false;
  }
  const Point start = a;
  if (leave < 1.0) b = {start.x + leave * dx, start.y + leave * dy};
  if (enter > 0.0) a = {start.x + enter * dx, start.y + enter * dy};
  return true;
}

/// Whether p is in the rectangle or on any of its edges.
bool contains_closed(const Rect& r, const Point& p) {
  return p.x >= r.x && p.x <= r.right() && p.y >= r.y && p.y <= r.bottom();
}

bool same(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

/// One vertical line per column of pixels, from the lowest to the highest point in it. For curves
/// that cross the same columns many times, so that the columns are filled anyway.
std::vector<Strip> extents(const std::vector<Strip>& strips, const Rect& plot) {
  const auto columns = static_cast<std::size_t>(std::ceil(std::max(plot.width, 1.0)));
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<Range> found(columns, {none, -none});
  const auto include = [&](const Point& p) {
    const double column = std::floor(p.x - plot.x);
    if (column < 0.0 || column >= static_cast<double>(columns)) return;
    Range& range = found[static_cast<std::size_t>(column)];
    range = {std::min(range.min, p.y), std::max(range.max, p.y)};
  };
  for (const Strip& strip : strips) std::ranges::for_each(strip, include);
  std::vector<Strip> lines;
  for (std::size_t i = 0; i < columns; ++i) {
    const double x = plot.x + static_cast<double>(i) + 0.5;
    if (found[i].min <= found[i].max) lines.push_back({{x, found[i].min}, {x, found[i].max}});
  }
  return lines;
}

std::size_t count_points(const std::vector<Strip>& strips) {
  std::size_t count = 0;
  for (const Strip& strip : strips) count += strip.size();
  return count;
}

std::vector<Strip> all_clipped(const std::vector<Strip>& strips, const Rect& bounds) {
  std::vector<Strip> pieces;
  for (const Strip& strip : strips) {
    for (Strip& piece : clipped(strip, bounds)) pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

CurveOrder order_of(std::span<const double> x) {
  if (x.empty()) return {.sorted = true};
  const auto [low, high] = std::ranges::minmax_element(x);
  return {std::ranges::is_sorted(x), {*low, *high}};
}

std::vector<Strip> clipped(const Strip& strip, const Rect& bounds) {
  std::vector<Strip> pieces;
  if (strip.size() == 1 && finite(strip[0]) && contains_closed(bounds, strip[0])) return {strip};
  bool open = false;
  for (std::size_t i = 1; i < strip.size(); ++i) {
    Point a = strip[i - 1], b = strip[i];
    if (!finite(a) || !finite(b) || !cut_segment(a, b, bounds)) {
      open = false;
      continue;
    }
    if (!open || !same(pieces.back().back(), a)) pieces.push_back({a});
    pieces.back().push_back(b);
    open = true;
  }
  return pieces;
}

std::vector<Strip> decimated(std::span<const double> x, std::span<const double> y,
                             const AxisMap& x_axis, const AxisMap& y_axis, const Rect& plot) {
  ColumnReducer reducer(x_axis, y_axis);
  const std::size_t count = std::min(x.size(), y.size());
  for (std::size_t i = 0; i < count; ++i) reducer.add(x[i], y[i]);
  std::vector<Strip> strips = all_clipped(reducer.finish(), with_margin(plot));
  const double most = static_cast<double>(max_points_per_column) * std::max(plot.width, 64.0);
  if (static_cast<double>(count_points(strips)) <= most) return strips;
  return all_clipped(extents(strips, plot), with_margin(plot));
}

std::vector<Point> decimated_dots(std::span<const double> x, std::span<const double> y,
                                  const AxisMap& x_axis, const AxisMap& y_axis, const Rect& plot,
                                  double cell, std::size_t max_dots) {
  const ScaleMap map_x(x_axis), map_y(y_axis);
  std::set<std::pair<long, long>> taken;
  std::vector<Point> dots;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!is_shown(x_axis.scale, x[i]) || !is_shown(y_axis.scale, y[i])) continue;
    const Point p{map_x.to_canvas(x[i]), map_y.to_canvas(y[i])};
    if (!finite(p) || !contains_closed(plot, p)) continue;
    if (!taken.insert({std::lround(p.x / cell), std::lround(p.y / cell)}).second) continue;
    if (dots.size() == max_dots) return {};
    dots.push_back(p);
  }
  return dots;
}

namespace {

/// Reduces a band to its lowest and highest edge per column of pixels.
class BandReducer {
 public:
  void add(Point low, Point high) {
    const double column = std::floor(low.x);
    if (!open_ || column != column_) {
      flush();
      open_ = true;
      column_ = column;
      low_ = low, high_ = high;
      return;
    }
    low_ = {low.x, std::max(low_.y, low.y)};
    high_ = {high.x, std::min(high_.y, high.y)};
  }
  void end_piece() {
    flush();
    if (piece_.upper.size() > 1) pieces_.push_back(piece_);
    piece_ = {};
  }
  std::vector<BandPiece> finish() {
    end_piece();
    return std::move(pieces_);
  }

 private:
  void flush() {
    if (!open_) return;
    piece_.lower.push_back(low_);
    piece_.upper.push_back(high_);
    open_ = false;
  }
  bool open_{false};
  double column_{};
  Point low_{}, high_{};
  BandPiece piece_;
  std::vector<BandPiece> pieces_;
};

}  // namespace

std::vector<BandPiece> decimated_band(std::span<const double> x, std::span<const double> low,
                                      std::span<const double> high, const AxisMap& x_axis,
                                      const AxisMap& y_axis, const Rect& plot) {
  const ScaleMap map_x(x_axis), map_y(y_axis);
  const Rect bounds = with_margin(plot);
  BandReducer reducer;
  for (std::size_t i = 0; i < std::min({x.size(), low.size(), high.size()}); ++i) {
    const double at = map_x.to_canvas(x[i]);
    const double a = map_y.to_canvas(low[i]), b = map_y.to_canvas(high[i]);
    if (!std::isfinite(at) || !std::isfinite(a) || !std::isfinite(b)) {
      reducer.end_piece();
      continue;
    }
    const auto within = [&](double y) { return std::clamp(y, bounds.y, bounds.bottom()); };
    const double cx = std::clamp(at, bounds.x - margin, bounds.right() + margin);
    reducer.add({cx, within(a)}, {cx, within(b)});
  }
  return reducer.finish();
}

}  // namespace orrery
