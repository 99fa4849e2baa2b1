#include "experiments/figure/plot/coincidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/figure/plot/labels.h"

namespace orrery {
namespace {

constexpr Range absent{std::numeric_limits<double>::infinity(),
                       -std::numeric_limits<double>::infinity()};

bool is_absent(const Range& range) { return range.min > range.max; }

Range joined(const Range& a, const Range& b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

}  // namespace

Silhouette::Silhouette(const Rect& plot)
    : plot_(plot),
      columns_(static_cast<std::size_t>(std::ceil(plot.width / column_width)) + 1, absent) {}

std::size_t Silhouette::column_at(double x) const {
  const double column = std::floor((x - plot_.x) / column_width);
  return static_cast<std::size_t>(
      std::clamp(column, 0.0, static_cast<double>(columns_.size() - 1)));
}

double Silhouette::start_of(std::size_t column) const {
  return plot_.x + column_width * static_cast<double>(column);
}

void Silhouette::add(const Strip& strip) {
  for (const Strip& part : clipped(strip, plot_))
    for (std::size_t i = 0; i < part.size(); ++i) add(part[i == 0 ? 0 : i - 1], part[i]);
}

void Silhouette::add(Point a, Point b) {
  if (a.x > b.x) std::swap(a, b);
  const std::size_t first = column_at(a.x), last = column_at(b.x);
  const double slope = b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0.0;
  for (std::size_t i = first; i <= last; ++i) {
    const double from = i == first ? a.y : a.y + slope * (start_of(i) - a.x);
    const double to = i == last ? b.y : a.y + slope * (start_of(i + 1) - a.x);
    columns_[i] = joined(columns_[i], {std::min(from, to), std::max(from, to)});
  }
}

std::optional<Range> Silhouette::along(double from, double to) const {
  Range range = absent;
  const std::size_t last = column_at(to);
  for (std::size_t i = column_at(from); i <= last; ++i) {
    if (is_absent(columns_[i])) return std::nullopt;
    range = joined(range, columns_[i]);
  }
  return range;
}

bool Silhouette::meets(const Rect& box, double margin) const {
  const std::size_t last = column_at(box.right());
  for (std::size_t i = column_at(box.x); i <= last; ++i)
    if (columns_[i].max > box.y - margin && columns_[i].min < box.bottom() + margin) return true;
  return false;
}

std::optional<Point> Silhouette::end() const {
  for (std::size_t i = columns_.size(); i-- > 0;)
    if (!is_absent(columns_[i]))
      return Point{std::min(start_of(i + 1), plot_.right()),
                   (columns_[i].min + columns_[i].max) / 2};
  return std::nullopt;
}

bool Silhouette::coincides(const Silhouette& other) const {
  constexpr double tolerance = 2.0;          // points: the width of a line
  constexpr std::size_t one_in_unlike = 32;  // columns that may differ, at ends and sharp corners
  const auto is_present = [](const Range& column) { return column.min <= column.max; };
  std::size_t own = 0, others = 0, common = 0, unlike = 0;
  for (std::size_t i = 0; i < std::min(columns_.size(), other.columns_.size()); ++i) {
    const Range &a = columns_[i], &b = other.columns_[i];
    own += is_present(a);
    others += is_present(b);
    if (!is_present(a) || !is_present(b)) continue;
    unlike += std::abs(a.min - b.min) > tolerance || std::abs(a.max - b.max) > tolerance;
    ++common;
  }
  return common > 0 && common == std::min(own, others) && unlike <= common / one_in_unlike;
}

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_number);
}

const char* relation_of(const Series& a, const Series& b) {
  return same_numbers(a.x, b.x) && same_numbers(a.y, b.y) ? " = " : " ≈ ";
}

void Coincidences::add(const Series& series, Silhouette silhouette) {
  const auto same = std::ranges::find_if(
      drawn_, [&](const Drawn& one) { return one.silhouette.coincides(silhouette); });
  if (same == drawn_.end()) {
    drawn_.push_back({&series, std::move(silhouette)});
    return;
  }
  const Dash dash = same->twins++ == 0 ? Dash::dashed : Dash::dotted;
  twins_.push_back({&series, same->series, dash});
}

const Coincidences::Twin* Coincidences::find(const Series& series) const {
  const auto twin = std::ranges::find(twins_, &series, &Twin::series);
  return twin == twins_.end() ? nullptr : &*twin;
}

const Series& Coincidences::first_of(const Series& series) const {
  const Twin* twin = find(series);
  return twin ? *twin->first : series;
}

Dash Coincidences::dash_of(const Series& series) const {
  const Twin* twin = find(series);
  return twin ? twin->dash : Dash::solid;
}

std::string Coincidences::note_on(const Series& series) const {
  const Twin* twin = find(series);
  return twin ? relation_of(series, *twin->first) + shown_name(*twin->first) : "";
}

}  // namespace orrery
