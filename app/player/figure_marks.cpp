#include "app/player/figure_marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <numbers>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/labels.h"

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

constexpr double tint = 0.16;

/// "a_{mn}" and "a_{m,n}" are "a_mn".
std::string without_braces(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (c != '{' && c != '}' && c != ',' && c != '\\') plain += c;
  return plain;
}

/// What formulas call the quantity of an axis, whatever is written there.
std::string_view symbol_of(AxisRole role) {
  switch (role) {
    case AxisRole::relative_distance:
      return "r";
    case AxisRole::position:
    case AxisRole::query_position:
      return "m";
    case AxisRole::key_position:
      return "n";
    case AxisRole::pair:
      return "t";
    case AxisRole::channel:
    case AxisRole::none:
      break;
  }
  return {};
}

bool is_named(const Axis& axis, std::string_view symbol) {
  return has_symbol(axis.symbol, symbol) || symbol_of(axis.role) == symbol;
}

void tint_area(Canvas& canvas, const Rect& area, const Ui& ui) {
  canvas.rect(area, with_alpha(ui.style.accent, tint));
  draw_outline(canvas, area, {.color = ui.style.accent, .width = ui.scale});
}

/// The color bar with its numbers and its label, which stand at its right.
Rect bar_area(const FigureLayout& layout) {
  const Rect& bar = layout.color_bar;
  return {bar.x, bar.y, layout.area.right() - bar.x, bar.height};
}

const std::vector<Series>* curves_of(const Figure& figure) {
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  return plot ? &plot->series : nullptr;
}

constexpr double own_width = 3.0;  // of curves, at scale 1

void draw_own_curve(Canvas& canvas, const FigureLayout& layout, const Player::Work& work,
                    const Ui& ui) {
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
  draw_outline(canvas, cell, {.color = ui.style.background, .width = 4 * ui.scale});
  draw_outline(canvas, cell, {.color = color, .width = 2 * ui.scale});
}

void draw_cells(Canvas& canvas, const Heatmap& map, const FigureLayout& layout,
                const Director& director, const Ui& ui) {
  const Player::Work& work = director.player().work();
  canvas.push_clip(layout.plot);
  if (work.revealed && director.truth())
    for (const auto& [row, column] : director.truth()->cells)
      ring(canvas, cell_rect(map, layout, {row, column}), ui.style.accent, ui);
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

/// Whether the step hides anything of the figure or asks about it.
bool is_asked_about(const LessonStep& step, const std::string& figure) {
  const bool veiled = std::any_of(step.veils.begin(), step.veils.end(),
                                  [&](const auto& veil) { return veil.figure == figure; });
  if (veiled || !step.prediction) return veiled;
  if (const auto* draw = std::get_if<DrawCurve>(&step.prediction->kind))
    return draw->figure == figure;
  if (const auto* mark = std::get_if<MarkCells>(&step.prediction->kind)) return mark->map == figure;
  return false;
}

}  // namespace

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

bool is_covered(const LessonStep& step, const std::string& figure) {
  return std::any_of(step.veils.begin(), step.veils.end(),
                     [&](const Veil& veil) { return veil.figure == figure && is_whole(veil); });
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

bool has_symbol(std::string_view marked, std::string_view symbol) {
  const std::string wanted = without_braces(symbol);
  if (wanted.empty() || !has_formula(marked)) return false;
  return has_part(known_text(marked),
                  [&](const std::string& name) { return without_braces(name) == wanted; });
}

NamedParts parts_named(const Figure& figure, std::string_view symbol) {
  NamedParts parts;
  const auto see_axes = [&](const auto& plot) {
    parts.x_axis = is_named(plot.x, symbol);
    parts.y_axis = is_named(plot.y, symbol);
  };
  if (const auto* lines = std::get_if<LinePlot>(&figure.content)) {
    see_axes(*lines);
    for (const Series& series : lines->series)
      if (has_symbol(shown_name(series), symbol) || (parts.y_axis && lines->series.size() == 1))
        parts.series.push_back(series.name);
  } else if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
    see_axes(*map);
    parts.color_bar = has_symbol(map->symbol, symbol);
  } else if (const auto* arrows = std::get_if<VectorPlot>(&figure.content)) {
    see_axes(*arrows);
  }
  return parts;
}

void light_parts(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                 const FigureView& view, const NamedParts& parts, const Ui& ui) {
  if (parts.x_axis) tint_area(canvas, layout.x_axis, ui);
  if (parts.y_axis) tint_area(canvas, layout.y_axis, ui);
  if (parts.color_bar && layout.color_bar.width > 0) tint_area(canvas, bar_area(layout), ui);
  const std::vector<Series>* curves = curves_of(figure);
  if (!curves) return;
  const auto is_lit = [&](const std::string& name) {
    return view.hidden.count(name) == 0 &&
           std::find(parts.series.begin(), parts.series.end(), name) != parts.series.end();
  };
  for (const Series& series : *curves)
    if (is_lit(series.name)) draw_glow(canvas, layout, series, ui);
  for (const FigureLayout::LegendEntry& entry : layout.legend)
    if (is_lit(entry.series))
      draw_outline(canvas, entry.box, {.color = ui.style.accent, .width = ui.scale});
}

std::vector<std::string> symbols_at(const Figure& figure, const FigureLayout& layout, Point at,
                                    const std::vector<std::string>& symbols) {
  std::vector<std::string> found;
  for (const std::string& symbol : symbols) {
    const NamedParts parts = parts_named(figure, symbol);
    const bool on_name = std::any_of(
        layout.legend.begin(), layout.legend.end(), [&](const FigureLayout::LegendEntry& entry) {
          return entry.box.contains(at) && std::find(parts.series.begin(), parts.series.end(),
                                                     entry.series) != parts.series.end();
        });
    if ((parts.x_axis && layout.x_axis.contains(at)) ||
        (parts.y_axis && layout.y_axis.contains(at)) ||
        (parts.color_bar && bar_area(layout).contains(at)) || on_name)
      found.push_back(symbol);
  }
  return found;
}

void draw_answers(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                  const Director& director, const Ui& ui) {
  const LessonStep& step = director.player().step();
  if (!step.prediction) return;
  if (const auto* draw = std::get_if<DrawCurve>(&step.prediction->kind))
    if (draw->figure == figure.id) draw_own_curve(canvas, layout, director.player().work(), ui);
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
    draw_outline(canvas, box, {.color = ui.style.accent, .width = ui.scale});
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
      const LessonFacts facts{*session.current().result, session.current().params};
      const auto at = [&](const Expression& e) {
        return static_cast<std::size_t>(std::max(0.0, value_of(e, facts)));
      };
      ring(canvas, cell_rect(*map, layout, {at(light.row), at(light.column)}), ui.style.accent, ui);
    }
  }
  if (others && !mine) canvas.rect(layout.area, with_alpha(ui.style.background, 0.7));
  if (mine && session.on_screen.size() > 1)
    draw_outline(canvas, layout.area, {.color = ui.style.accent, .width = 2 * ui.scale});
}

}  // namespace orrery
