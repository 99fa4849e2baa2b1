#include "experiments/figure/plot/notes.h"

#include <array>
#include <cmath>

#include "experiments/figure/equation/rich_text.h"

namespace orrery {
namespace {

void draw_note(Canvas& canvas, const PlacedNote& note, const FigureLayout& layout,
               const FigureStyle& style) {
  const Point at{layout.x.to_canvas(note.x), layout.y.to_canvas(note.y)};
  if (!std::isfinite(at.x) || !std::isfinite(at.y) || !layout.plot.contains(at)) return;
  const double r = 0.22 * style.text_size;
  const std::array<Point, 4> dot{Point{at.x - r, at.y}, Point{at.x, at.y - r},
                                 Point{at.x + r, at.y}, Point{at.x, at.y + r}};
  canvas.fill(dot, style.accent);
  TextStyle text{.size = style.small_size, .color = style.text};
  text.vertical = VerticalAlign::bottom;
  const double width = rich_size(canvas, note.text, text).width;
  const bool right = at.x + 2 * r + width > layout.plot.right();
  text.horizontal = right ? HorizontalAlign::right : HorizontalAlign::left;
  draw_rich(canvas, {at.x + (right ? -2 * r : 2 * r), at.y - r}, note.text, text);
}

}  // namespace

void draw_notes(Canvas& canvas, std::span<const PlacedNote> notes, const FigureLayout& layout,
                const FigureStyle& style) {
  for (const PlacedNote& note : notes) draw_note(canvas, note, layout, style);
}

}  // namespace orrery
