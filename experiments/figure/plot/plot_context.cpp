#include "experiments/figure/plot/plot_context.h"

#include <algorithm>
#include <array>

namespace orrery {

TextStyle label_style(const FigureStyle& style) {
  return {.size = style.text_size, .color = style.text};
}

TextStyle tick_style(const FigureStyle& style) {
  return {.size = style.small_size, .color = style.text};
}

TextStyle aligned_text(TextStyle text, VerticalAlign vertical, HorizontalAlign horizontal) {
  text.vertical = vertical;
  text.horizontal = horizontal;
  return text;
}

double line_height(const Canvas& canvas, const TextStyle& style) {
  return canvas.text_size("Xg", style).height;
}

Rect shrunk(const Rect& rect, double left, double top, double right, double bottom) {
  return {rect.x + left, rect.y + top, std::max(0.0, rect.width - left - right),
          std::max(0.0, rect.height - top - bottom)};
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

bool is_within(const Rect& inner, const Rect& outer) {
  return inner.x >= outer.x && inner.right() <= outer.right() && inner.y >= outer.y &&
         inner.bottom() <= outer.bottom();
}

void draw_segment(Canvas& canvas, Point from, Point to, const Stroke& stroke) {
  canvas.line_strip(std::array{from, to}, stroke);
}

void draw_outline(Canvas& canvas, const Rect& r, const Stroke& stroke) {
  canvas.line_strip(std::array{Point{r.x, r.y}, Point{r.right(), r.y}, Point{r.right(), r.bottom()},
                               Point{r.x, r.bottom()}, Point{r.x, r.y}},
                    stroke);
}

}  // namespace orrery
