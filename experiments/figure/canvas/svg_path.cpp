#include "experiments/figure/canvas/svg_path.h"

#include <cmath>
#include <cstdint>

#include "core/errors.h"

namespace orrery {
namespace {

constexpr std::int64_t steps_per_point = 100;  ///< everything is rounded to two decimals

std::int64_t rounded(double value) {
  check_invariant(std::isfinite(value), "points on a Canvas are finite");
  return std::llround(value * static_cast<double>(steps_per_point));
}

void append_decimals(std::string& text, std::int64_t hundredths) {
  if (hundredths == 0) return;
  text += '.';
  text += static_cast<char>('0' + hundredths / 10);
  if (hundredths % 10 != 0) text += static_cast<char>('0' + hundredths % 10);
}

void append_number(std::string& text, std::int64_t value) {
  if (value < 0) text += '-';
  const std::int64_t size = value < 0 ? -value : value;
  if (size >= steps_per_point || size == 0) text += std::to_string(size / steps_per_point);
  append_decimals(text, size % steps_per_point);
}

/// Numbers are separated by a space, or by the minus sign of the next one.
void append_next(std::string& text, std::int64_t value) {
  if (value >= 0) text += ' ';
  append_number(text, value);
}

/// A point in hundredths, as it is written.
struct GridPoint {
  std::int64_t x{};
  std::int64_t y{};
  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

GridPoint to_grid(Point point) { return {rounded(point.x), rounded(point.y)}; }

}  // namespace

std::string svg_number(double value) {
  std::string text;
  append_number(text, rounded(value));
  return text;
}

std::string svg_path(std::span<const Point> points) {
  if (points.size() < 2) return {};
  GridPoint last = to_grid(points.front());
  std::string path = "M";
  append_number(path, last.x);
  append_next(path, last.y);
  bool first = true;
  for (const Point& point : points.subspan(1)) {
    const GridPoint next = to_grid(point);
    if (next == last && !first) continue;
    if (first) path += 'l';
    const GridPoint step{next.x - last.x, next.y - last.y};
    if (first)
      append_number(path, step.x);
    else
      append_next(path, step.x);
    append_next(path, step.y);
    first = false;
    last = next;
  }
  return path;
}

}  // namespace orrery
