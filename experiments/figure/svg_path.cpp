#include "experiments/figure/svg_path.h"

#include <cmath>
#include <cstdint>

#include "core/errors.h"

namespace orrery {
namespace {

constexpr double parts = 100.0;  ///< of a point, to which everything is rounded: two decimals
constexpr std::int64_t whole = 100;

std::int64_t rounded(double value) {
  check_invariant(std::isfinite(value), "points on a Canvas are finite");
  return std::llround(value * parts);
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
  if (size >= whole || size == 0) text += std::to_string(size / whole);
  append_decimals(text, size % whole);
}

/// A minus sign separates as well as a space does.
void append_next(std::string& text, std::int64_t value) {
  if (value >= 0) text += ' ';
  append_number(text, value);
}

struct Place {
  std::int64_t x{};
  std::int64_t y{};
  friend bool operator==(const Place&, const Place&) = default;
};

Place place_of(Point point) { return {rounded(point.x), rounded(point.y)}; }

}  // namespace

std::string svg_number(double value) {
  std::string text;
  append_number(text, rounded(value));
  return text;
}

std::string svg_path(std::span<const Point> points) {
  if (points.size() < 2) return {};
  Place last = place_of(points.front());
  std::string path = "M";
  append_number(path, last.x);
  append_next(path, last.y);
  bool first = true;
  for (const Point& point : points.subspan(1)) {
    const Place next = place_of(point);
    if (next == last && !first) continue;
    if (first) path += 'l';
    const Place step{next.x - last.x, next.y - last.y};
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
