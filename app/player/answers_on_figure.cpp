#include "app/player/answers_on_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <vector>

#include "app/gui/theme.h"
#include "app/player/figure_marks.h"
#include "experiments/figure/equation/rich_text.h"

namespace orrery {
namespace {

constexpr double own_width = 3.0, others_width = 1.6;  // of curves, at scale 1
constexpr double others_alpha = 0.55;

void draw_curves(Canvas& canvas, const FigureLayout& layout, const StepWork& work, const Ui& ui) {
  const Stroke others{.color = with_alpha(ui.style.muted, others_alpha),
                      .width = others_width * ui.scale};
  for (const Answer& other : work.others) draw_curve(canvas, layout, other.x, other.y, others);
  draw_curve(canvas, layout, work.answer.x, work.answer.y,
             {.color = ui.style.text, .width = own_width * ui.scale});
}

/// In the middle of a cell, by a share of its smaller side.
void dot_in(Canvas& canvas, const Rect& cell, Color color, double share) {
  draw_mark_dot(canvas, {cell.x + cell.width / 2, cell.y + cell.height / 2},
                share * std::min(cell.width, cell.height), color);
}

/// A ring in two tones is seen on every colour of a map.
void ring(Canvas& canvas, const Rect& cell, Color color, const Ui& ui) {
  draw_frame(canvas, cell, {.color = ui.style.background, .width = 4 * ui.scale});
  draw_frame(canvas, cell, {.color = color, .width = 2 * ui.scale});
}

void draw_cells(Canvas& canvas, const Heatmap& map, const FigureLayout& layout,
                const Director& director, const Ui& ui) {
  const StepWork& work = director.player().work();
  canvas.push_clip(layout.plot);
  if (work.revealed && director.truth())
    for (const auto& [row, column] : director.truth()->cells)
      ring(canvas, cell_rect(map, layout, {row, column}), ui.style.accent, ui);
  for (const Answer& other : work.others)
    for (const auto& [row, column] : other.cells)
      dot_in(canvas, cell_rect(map, layout, {row, column}), with_alpha(ui.style.muted, 0.5), 0.3);
  for (const auto& [row, column] : work.answer.cells) {
    const Rect cell = cell_rect(map, layout, {row, column});
    dot_in(canvas, cell, ui.style.background, 0.27);
    dot_in(canvas, cell, ui.style.text, 0.2);
  }
  canvas.pop_clip();
}

const Series* series_of(const Session& session, const std::string& figure,
                        const std::string& name) {
  try {
    return &series_named(*session.current().result, figure, name);
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

void draw_answers(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                  const Director& director, const Ui& ui) {
  const LessonStep& step = director.player().step();
  if (!step.prediction) return;
  if (const auto* draw = std::get_if<DrawCurve>(&step.prediction->kind))
    if (draw->figure == figure.id) draw_curves(canvas, layout, director.player().work(), ui);
  const auto* map = std::get_if<Heatmap>(&figure.content);
  if (const auto* mark = std::get_if<MarkCells>(&step.prediction->kind))
    if (map && mark->map == figure.id) draw_cells(canvas, *map, layout, director, ui);
}

void draw_notes(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                const Director& director, const Ui& ui) {
  for (const PlacedNote& note : director.findings().notes) {
    if (note.figure != figure.id) continue;
    const Point at{layout.x.to_canvas(note.x), layout.y.to_canvas(note.y)};
    if (!std::isfinite(at.x) || !std::isfinite(at.y) || !layout.plot.contains(at)) continue;
    TextStyle style{.size = ui.style.text_size, .color = ui.style.text};
    style.vertical = VerticalAlign::middle;
    const Size size = rich_size(canvas, note.text, style);
    const double gap = 12 * ui.scale, pad = 4 * ui.scale, height = 1.5 * style.size;
    const bool left = at.x + gap + size.width + pad > layout.plot.right();
    const double x = left ? at.x - gap - size.width : at.x + gap;
    const double y = std::max(at.y - 2 * gap, layout.plot.y + height / 2);
    const Rect box{x - pad, y - height / 2, size.width + 2 * pad, height};
    const std::array lead{at, Point{left ? box.right() : box.x, y}};
    canvas.line_strip(lead, {.color = ui.style.accent, .width = ui.scale});
    draw_mark_dot(canvas, at, 0.34 * gap, ui.style.accent);
    canvas.rect(box, with_alpha(ui.style.background, 0.9));
    draw_frame(canvas, box, {.color = ui.style.accent, .width = ui.scale});
    draw_rich(canvas, {x, y}, note.text, style);
  }
}

void draw_spotlights(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                     const Director& director, const Session& session, const Ui& ui) {
  using Kind = Spotlight::Kind;
  const LessonStep& step = director.player().step();
  bool others = false, mine = false;
  for (const Spotlight& light : step.spotlights) {
    if (light.kind == Kind::figure) (light.name == figure.id ? mine : others) = true;
    if (light.name != figure.id) continue;
    if (light.kind == Kind::series)
      if (const Series* series = series_of(session, figure.id, light.series))
        draw_glow(canvas, layout, *series, ui);
    const auto* map = std::get_if<Heatmap>(&figure.content);
    if (light.kind == Kind::cell && map && session.current().result) {
      const Facts facts{*session.current().result, session.current().params};
      const auto at = [&](const Expression& e) {
        return static_cast<std::size_t>(std::max(0.0, value_of(e, facts)));
      };
      ring(canvas, cell_rect(*map, layout, {at(light.row), at(light.column)}), ui.style.accent, ui);
    }
  }
  if (others && !mine) canvas.rect(layout.area, with_alpha(ui.style.background, 0.7));
  if (mine && session.on_screen.size() > 1)
    draw_frame(canvas, layout.area, {.color = ui.style.accent, .width = 2 * ui.scale});
}

}  // namespace orrery
