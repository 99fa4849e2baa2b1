#include "app/player/veil_cover.h"

#include <algorithm>
#include <array>

#include "app/gui/theme.h"
#include "experiments/figure/equation/rich_text.h"

namespace orrery {
namespace {

constexpr double hatch_step = 14, title_lines = 1.9;  // of points, and of the title's size

/// A rectangle with strokes over it, which reads as "not shown" rather than "nothing there".
void hatch(Canvas& canvas, const Rect& area, const Ui& ui) {
  canvas.push_clip(area);
  canvas.rect(area, raised_color(ui.style));
  const Stroke stroke{.color = with_alpha(ui.style.muted, 0.25), .width = ui.scale};
  for (double x = area.x - area.height; x < area.right(); x += hatch_step * ui.scale) {
    const std::array line{Point{x, area.bottom()}, Point{x + area.height, area.y}};
    canvas.line_strip(line, stroke);
  }
  canvas.pop_clip();
}

bool is_whole(const Veil& veil) { return veil.series.empty() && !veil.x; }

/// A table has no plot: all but its title is covered.
Rect below_title(const FigureLayout& layout, const Ui& ui) {
  const double title = title_lines * ui.style.title_size;
  const Rect& area = layout.area;
  return {area.x, area.y + title, area.width, std::max(0.0, area.height - title)};
}

/// The plot and everything to the right of it, since a colour bar gives values away, too.
Rect plot_and_keys(const FigureLayout& layout) {
  const Rect& plot = layout.plot;
  return {plot.x, plot.y, layout.area.right() - plot.x, plot.height};
}

Rect veiled_part(const FigureLayout& layout, const Veil& veil) {
  if (!veil.x) return plot_and_keys(layout);
  const double from =
      std::clamp(layout.x.to_canvas(veil.x->min), layout.plot.x, layout.plot.right());
  const double to = std::clamp(layout.x.to_canvas(veil.x->max), layout.plot.x, layout.plot.right());
  return {std::min(from, to), layout.plot.y, std::abs(to - from), layout.plot.height};
}

void cover_title(Canvas& canvas, const FigureLayout& layout, const std::string& question,
                 const Ui& ui) {
  // The formulas over an equation of maps stay.
  const bool keeps_rest = !layout.parts.empty() || layout.plot.height <= 0;
  const double room = layout.plot.y - layout.area.y - ui.scale;
  const double height = keeps_rest ? title_lines * ui.style.title_size : std::max(0.0, room);
  canvas.rect({layout.area.x, layout.area.y, layout.area.width, height}, ui.style.background);
  TextStyle style{.size = ui.style.title_size, .color = ui.style.text, .bold = true};
  style.vertical = VerticalAlign::middle;
  const double indent = 6 * ui.scale;
  const auto too_wide = [&] {
    return rich_size(canvas, question, style).width > layout.area.width - 2 * indent;
  };
  if (too_wide()) style.size = ui.style.text_size;
  // The question stands beside the figure in any case.
  if (height >= style.size && !too_wide())
    draw_rich(canvas, {layout.area.x + indent, layout.area.y + height / 2}, question, style);
}

}  // namespace

bool is_covered(const LessonStep& step, const std::string& figure) {
  return std::any_of(step.veils.begin(), step.veils.end(),
                     [&](const Veil& veil) { return veil.figure == figure && is_whole(veil); });
}

bool is_asked_about(const LessonStep& step, const std::string& figure) {
  const bool veiled = std::any_of(step.veils.begin(), step.veils.end(),
                                  [&](const auto& veil) { return veil.figure == figure; });
  if (veiled || !step.prediction) return veiled;
  if (const auto* draw = std::get_if<DrawCurve>(&step.prediction->kind))
    return draw->figure == figure;
  if (const auto* mark = std::get_if<MarkCells>(&step.prediction->kind)) return mark->map == figure;
  return false;
}

void draw_cover(Canvas& canvas, const FigureLayout& layout, const LessonStep& step,
                const std::string& figure, const std::string& question, const Ui& ui) {
  if (!is_asked_about(step, figure)) return;
  const bool has_plot = layout.plot.width > 0 && layout.plot.height > 0;
  for (const Veil& veil : step.veils)
    if (veil.figure == figure && (veil.series.empty() || veil.x))
      hatch(canvas, has_plot ? veiled_part(layout, veil) : below_title(layout, ui), ui);
  cover_title(canvas, layout, question, ui);
}

}  // namespace orrery
