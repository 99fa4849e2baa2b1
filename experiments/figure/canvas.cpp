#include "experiments/figure/canvas.h"

#include <algorithm>
#include <array>

namespace orrery {

void Canvas::fill_between(std::span<const Point> upper, std::span<const Point> lower, Color color) {
  for (std::size_t i = 1; i < std::min(upper.size(), lower.size()); ++i) {
    fill(std::array{upper[i - 1], upper[i], lower[i], lower[i - 1]}, color);
  }
}

}  // namespace orrery
