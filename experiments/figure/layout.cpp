#include "experiments/figure/layout.h"

#include <algorithm>
#include <cmath>

#include "experiments/figure/equation/strip.h"
#include "experiments/figure/sheet.h"
#include "experiments/figure/text.h"

namespace orrery {
namespace {

constexpr double most_for_title = 0.2;     ///< of the area's height
constexpr double most_for_caption = 0.22;  ///< of the area's height
constexpr double least_lines = 8.0;        ///< of height, below which there is no title or caption

TextStyle title_style(const FigureStyle& style) {
  TextStyle text = label_style(style);
  text.size = style.title_size;
  text.bold = true;
  return text;
}

TextStyle caption_style(const FigureStyle& style) {
  TextStyle text = tick_style(style);
  text.color = style.muted;
  return text;
}

std::size_t lines_within(double height, double line) {
  constexpr double most = 1000.0;  // also where a canvas has lines without height
  return static_cast<std::size_t>(line > 0.0 ? std::clamp(std::floor(height / line), 0.0, most)
                                             : most);
}

/// Draws lines from `top` down and returns where they end.
double draw_lines(Sheet& sheet, const std::vector<std::string>& lines, Point top, TextStyle style) {
  const double height = line_height(sheet.canvas, style);
  for (const std::string& line : lines) {
    if (!line.empty()) sheet.canvas.text(top, line, style);
    top.y += height;
  }
  return top.y;
}

/// Takes the title off the top of the room.
void draw_title(Sheet& sheet, const Figure& figure, Rect& room) {
  const TextStyle style = title_style(sheet.style);
  const double line = line_height(sheet.canvas, style);
  const std::size_t most =
      std::min<std::size_t>(2, lines_within(most_for_title * room.height, line));
  const auto lines = wrapped(sheet.canvas, figure.title, style, room.width, most);
  if (lines.empty()) return;
  const double end = draw_lines(sheet, lines, {room.x, room.y}, style);
  room = shrunk(room, 0.0, end - room.y + gap(sheet.style), 0.0, 0.0);
}

/// Lines of the caption, bounded so that the content keeps most of the room.
std::vector<std::string> caption_lines(const Sheet& sheet, const Figure& figure, const Rect& room) {
  const TextStyle style = caption_style(sheet.style);
  const double line = line_height(sheet.canvas, style);
  const double spare = (room.height - least_lines * line) / 3.0;
  const std::size_t most = lines_within(std::min(most_for_caption * room.height, spare), line);
  return wrapped(sheet.canvas, figure.caption, style, room.width, most);
}

double caption_gap(const FigureStyle& style) { return 1.6 * gap(style); }
double above_strip(const FigureStyle& style) { return 0.8 * gap(style); }
double below_strip(const FigureStyle& style) { return 2.0 * gap(style); }

bool is_drawable(const Rect& area) {
  return std::isfinite(area.x) && std::isfinite(area.y) && std::isfinite(area.width) &&
         std::isfinite(area.height) && area.width > 0.0 && area.height > 0.0;
}

/// Takes the formulas off the top of a room that was made for what is left without them.
void draw_formulas(Sheet& sheet, const EquationStrip& formulas, Rect& room) {
  draw_strip(sheet.canvas, formulas, {room.x, room.y + above_strip(sheet.style)}, sheet.style);
  room.y += strip_room(formulas, sheet.style);
}

FigureFrame draw_page(Canvas& canvas, const Figure& figure, const EquationStrip& formulas,
                      const Rect& area, const FigureStyle& style, const FigureView& view,
                      HeatmapCache* cache, CurveCache* curves) {
  FigureFrame frame;
  frame.area = area;
  if (!is_drawable(area)) return frame;
  CurveCache own;
  Sheet sheet{canvas, style, view, cache, curves ? *curves : own, frame};
  canvas.push_clip(area);
  canvas.rect(area, style.background);
  Rect room = figure_room(shrunk(area, 0.0, 0.0, 0.0, strip_room(formulas, style)), style);
  std::vector<std::string> caption;
  if (room.height >= least_lines * style.text_size) {
    caption = caption_lines(sheet, figure, room);
    draw_title(sheet, figure, room);
  }
  draw_formulas(sheet, formulas, room);
  const TextStyle small = caption_style(style);
  const double below = static_cast<double>(caption.size()) * line_height(canvas, small);
  if (below > 0.0) room = shrunk(room, 0.0, 0.0, 0.0, below + caption_gap(style));
  sheet.content_bottom = room.bottom();
  std::visit([&](const auto& content) { draw_content(sheet, content, room); }, figure.content);
  draw_lines(sheet, caption, {room.x, sheet.content_bottom + caption_gap(style)}, small);
  canvas.pop_clip();
  return frame;
}

}  // namespace

Rect figure_room(const Rect& area, const FigureStyle& style) {
  const double margin = std::min(style.text_size * 0.9, 0.06 * std::min(area.width, area.height));
  return shrunk(area, margin, margin, margin, margin);
}

double strip_room(const EquationStrip& strip, const FigureStyle& style) {
  if (!(strip.height > 0.0)) return 0.0;
  return std::ceil(above_strip(style) + strip.height + below_strip(style));
}

FigureFrame draw_figure(Canvas& canvas, const Figure& figure, const Rect& area,
                        const FigureStyle& style, const FigureView& view, HeatmapCache* cache,
                        CurveCache* curves) {
  return draw_page(canvas, figure, {}, area, style, view, cache, curves);
}

FigureFrame draw_figure_with(Canvas& canvas, const Figure& figure, const EquationStrip& formulas,
                             Size page, const FigureStyle& style, const FigureView& view) {
  return draw_page(canvas, figure, formulas, {0.0, 0.0, page.width, page.height}, style, view,
                   nullptr, nullptr);
}

}  // namespace orrery
