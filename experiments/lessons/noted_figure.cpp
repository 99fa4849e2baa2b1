#include "experiments/lessons/noted_figure.h"

#include <array>
#include <cmath>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/export.h"

namespace orrery::lessons {
namespace {

using figure::Canvas;
using figure::FigureLayout;
using figure::FigureStyle;
using figure::Point;

/// Where the note stands; on a map in the middle of its cell.
Point place_of(const PlacedNote& note, const FigureLayout& layout) {
  return {layout.x.to_canvas(note.x), layout.y.to_canvas(note.y)};
}

void draw_note(Canvas& canvas, const PlacedNote& note, const FigureLayout& layout,
               const FigureStyle& style) {
  const Point at = place_of(note, layout);
  if (!std::isfinite(at.x) || !std::isfinite(at.y) || !layout.plot.contains(at)) return;
  const double r = 0.22 * style.text_size;
  const std::array<Point, 4> dot{Point{at.x - r, at.y}, Point{at.x, at.y - r},
                                 Point{at.x + r, at.y}, Point{at.x, at.y + r}};
  canvas.fill(dot, style.accent);
  figure::TextStyle text{.size = style.small_size, .color = style.text};
  text.vertical = figure::VerticalAlign::bottom;
  const double width = figure::rich_size(canvas, note.text, text).width;
  const bool right = at.x + 2 * r + width > layout.plot.right();
  text.horizontal = right ? figure::HorizontalAlign::right : figure::HorizontalAlign::left;
  figure::draw_rich(canvas, {at.x + (right ? -2 * r : 2 * r), at.y - r}, note.text, text);
}

}  // namespace

void draw_noted_figure(Canvas& canvas, const HandoutPicture& picture, const figure::Rect& area,
                       const FigureStyle& style) {
  const FigureLayout layout =
      figure::draw_figure(canvas, picture.figure, area, style, picture.view);
  for (const PlacedNote& note : picture.notes) draw_note(canvas, note, layout, style);
}

double noted_height(const HandoutPicture& picture, double width) {
  const figure::Size size = figure::export_size(picture.figure);
  return width * size.height / size.width;
}

}  // namespace orrery::lessons
