#include "app/player/symbol_light.h"

#include <algorithm>
#include <cstddef>

#include "app/gui/theme.h"
#include "app/player/figure_marks.h"
#include "experiments/figure/equation/read_text.h"
#include "experiments/figure/plot/labels.h"

namespace orrery {
namespace {

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
  draw_frame(canvas, area, {.color = ui.style.accent, .width = ui.scale});
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

}  // namespace

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
      draw_frame(canvas, entry.box, {.color = ui.style.accent, .width = ui.scale});
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

}  // namespace orrery
