#include "app/player/figure_marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "app/gui/theme.h"

namespace orrery {

void draw_frame(Canvas& canvas, const Rect& rect, const Stroke& stroke) {
  const std::array corners{Point{rect.x, rect.y}, Point{rect.right(), rect.y},
                           Point{rect.right(), rect.bottom()}, Point{rect.x, rect.bottom()},
                           Point{rect.x, rect.y}};
  canvas.line_strip(corners, stroke);
}

void draw_mark_dot(Canvas& canvas, Point at, double radius, Color color) {
  std::array<Point, 12> circle{};
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 12;
    circle[i] = {at.x + radius * std::cos(angle), at.y + radius * std::sin(angle)};
  }
  canvas.fill(circle, color);
}

void draw_curve(Canvas& canvas, const FigureLayout& layout, const std::vector<double>& x,
                const std::vector<double>& y, const Stroke& stroke) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const Point at{layout.x.to_canvas(x[i]), layout.y.to_canvas(y[i])};
    if (std::isfinite(at.x) && std::isfinite(at.y)) points.push_back(at);
  }
  canvas.push_clip(layout.plot);
  canvas.line_strip(points, stroke);
  canvas.pop_clip();
}

void draw_glow(Canvas& canvas, const FigureLayout& layout, const Series& series, const Ui& ui) {
  draw_curve(canvas, layout, series.x, series.y,
             {.color = with_alpha(ui.style.accent, 0.3), .width = 11 * ui.scale});
}

}  // namespace orrery
