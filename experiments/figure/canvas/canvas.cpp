#include "experiments/figure/canvas/canvas.h"

#include <algorithm>
#include <array>

namespace orrery {

std::vector<double> dash_pattern(const Stroke& stroke) {
  if (stroke.dash == Dash::dashed) return {3.2 * stroke.width, 2.2 * stroke.width};
  if (stroke.dash == Dash::dotted) return {1.1 * stroke.width, 1.6 * stroke.width};
  return {};
}

Point baseline_start(const TextStyle& style, double width, double ascent, double height) {
  const double x = style.horizontal == HorizontalAlign::left     ? 0.0
                   : style.horizontal == HorizontalAlign::center ? -0.5 * width
                                                                 : -width;
  if (style.vertical == VerticalAlign::baseline) return {x, 0.0};
  const double top = style.vertical == VerticalAlign::top      ? 0.0
                     : style.vertical == VerticalAlign::middle ? -0.5 * height
                                                               : -height;
  return {x, top + ascent};
}

std::vector<Point> outline_between(std::span<const Point> upper, std::span<const Point> lower) {
  std::vector<Point> outline(upper.begin(), upper.end());
  outline.insert(outline.end(), lower.rbegin(), lower.rend());
  return outline;
}

void Canvas::fill_between(std::span<const Point> upper, std::span<const Point> lower, Color color) {
  for (std::size_t i = 1; i < std::min(upper.size(), lower.size()); ++i)
    fill(std::array{upper[i - 1], upper[i], lower[i], lower[i - 1]}, color);
}

}  // namespace orrery
