#include "experiments/figure/canvas/canvas.h"

#include <algorithm>
#include <array>

namespace orrery {

std::vector<double> dash_pattern(const Stroke& stroke) {
  if (stroke.dash == Dash::dashed) return {3.2 * stroke.width, 2.2 * stroke.width};
  if (stroke.dash == Dash::dotted) return {1.1 * stroke.width, 1.6 * stroke.width};
  return {};
}

void Canvas::fill_between(std::span<const Point> upper, std::span<const Point> lower, Color color) {
  for (std::size_t i = 1; i < std::min(upper.size(), lower.size()); ++i) {
    fill(std::array{upper[i - 1], upper[i], lower[i], lower[i - 1]}, color);
  }
}

}  // namespace orrery
