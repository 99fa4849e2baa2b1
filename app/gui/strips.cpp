#include "app/gui/strips.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

/// Lengths of mark and gap, in line widths.
struct Pattern {
  double mark{};
  double gap{};
};

Pattern pattern_of(Dash dash) { return dash == Dash::dotted ? Pattern{1, 2} : Pattern{5, 3}; }

/// Segments in, strips out: joins what touches.
class Joiner {
 public:
  explicit Joiner(const StripSink& sink) : sink_(sink) {}
  ~Joiner() { flush(); }
  Joiner(const Joiner&) = delete;
  Joiner& operator=(const Joiner&) = delete;

  void add(Point from, Point to) {
    const bool joins = !strip_.empty() && strip_.back().x == from.x && strip_.back().y == from.y;
    if (!joins) {
      flush();
      strip_.push_back(from);
    }
    strip_.push_back(to);
  }
  void flush() {
    if (strip_.size() > 1) sink_(strip_);
    strip_.clear();
  }

 private:
  const StripSink& sink_;
  std::vector<Point> strip_{};
};

/// The part [first, second] of a segment inside the rectangle (Liang and Barsky).
std::optional<std::pair<double, double>> inside(Point a, Point b, const Rect& r) {
  double t0 = 0.0, t1 = 1.0;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double direction[] = {-dx, dx, -dy, dy};
  const double distance[] = {a.x - r.x, r.right() - a.x, a.y - r.y, r.bottom() - a.y};
  for (int side = 0; side < 4; ++side) {
    if (direction[side] == 0.0) {
      if (distance[side] < 0.0) return std::nullopt;
      continue;
    }
    const double t = distance[side] / direction[side];
    if (direction[side] < 0.0)
      t0 = std::max(t0, t);
    else
      t1 = std::min(t1, t);
  }
  if (t0 > t1) return std::nullopt;
  return std::pair(t0, t1);
}

Point between(Point a, Point b, double t) {
  if (t <= 0.0) return a;
  if (t >= 1.0) return b;
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

/// The marks of [begin, end] on one segment; `travelled` is the length of the strip before it.
void add_dashes(Joiner& out, Point a, Point b, double length, std::pair<double, double> part,
                double travelled, Pattern pattern) {
  const double period = pattern.mark + pattern.gap;
  const double first = travelled + part.first * length;
  const double last = travelled + part.second * length;
  for (double k = std::floor(first / period); k * period < last; k += 1.0) {
    const double from = std::max(first, k * period);
    const double to = std::min(last, k * period + pattern.mark);
    if (from < to)
      out.add(between(a, b, (from - travelled) / length), between(a, b, (to - travelled) / length));
  }
}

}  // namespace

void cut_strip(std::span<const Point> points, const Stroke& stroke, const Rect& clip,
               const StripSink& sink) {
  Joiner out(sink);
  const Pattern relative = pattern_of(stroke.dash);
  const double width = std::max(1.0, stroke.width);
  const Pattern pattern{relative.mark * width, relative.gap * width};
  double travelled = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point a = points[i - 1], b = points[i];
    if (!shim::is_finite(a) || !shim::is_finite(b)) continue;
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const auto part = inside(a, b, clip);
    if (part && stroke.dash == Dash::solid)
      out.add(between(a, b, part->first), between(a, b, part->second));
    else if (part && length > 0.0)
      add_dashes(out, a, b, length, *part, travelled, pattern);
    travelled += length;
  }
}

}  // namespace orrery
