#include "app/views/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/gui/imgui_shim.h"
#include "app/views/figures.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

// Lines beside a diagonal of cells smaller than this would hide it: one line over it instead.
constexpr double min_cell = 5.0;
constexpr double max_tag_width = 0.25;  ///< of the plot

/// "r = 10" on a small flag in the accent colour, its middle at `at`, within the plot.
void draw_tag(Canvas& canvas, double distance, Point at, const Rect& plot, const Ui& ui) {
  const std::string words = "r = " + grouped_number(distance);
  const TextStyle style{.size = ui.style.small_size,
                        .color = ui.style.background,
                        .horizontal = HorizontalAlign::center,
                        .vertical = VerticalAlign::middle};
  const Size text = canvas.text_size(words, style);
  const double width = text.width + 8 * ui.scale, height = text.height * 1.15;
  // On a small map it would hide what the diagonal shows.
  if (width > max_tag_width * plot.width || height > plot.height) return;
  const double x = std::clamp(at.x, plot.x + width / 2, plot.right() - width / 2);
  const double y = std::clamp(at.y, plot.y + height / 2, plot.bottom() - height / 2);
  canvas.rect({x - width / 2, y - height / 2, width, height}, ui.style.accent);
  canvas.text({x, y}, words, style);
}

/// A line across the plot at x. Returns whether it is on the plot.
bool light_column(Canvas& canvas, const FigureLayout& frame, double x, const Ui& ui) {
  const double at_x = frame.x.to_canvas(x);
  if (!is_on_plot(at_x, frame)) return false;
  draw_upright(canvas, at_x, frame, {with_alpha(ui.style.accent, 0.8), ui.scale});
  return true;
}

/// The line at x and a dot on every curve.
void light_curves(Canvas& canvas, const LinePlot& plot, const FigureLayout& frame,
                  const FigureView& view, double x, const Ui& ui) {
  if (!light_column(canvas, frame, x, ui)) return;
  if (const auto readout = read_lines_at(plot, frame, view, x)) draw_dots(canvas, *readout, ui);
}

/// Lines above and below a row of cells.
void light_row(Canvas& canvas, const Heatmap& map, const FigureLayout& frame, std::size_t row,
               const Ui& ui) {
  if (row >= map.values->shape.at(0)) return;
  const Rect cell = cell_rect(map, frame, {row, 0});
  for (const double y : {cell.y, cell.bottom()}) {
    const Point line[] = {{frame.plot.x, y}, {frame.plot.right(), y}};
    canvas.line_strip(line, {with_alpha(ui.style.accent, 0.9), ui.scale});
  }
}

void light_arrow(Canvas& canvas, const VectorPlot& plot, const FigureLayout& frame,
                 std::size_t pair, const Ui& ui) {
  for (const Arrow& arrow : plot.arrows) {
    if (arrow.value != static_cast<double>(pair)) continue;
    const Point line[] = {{frame.x.to_canvas(arrow.x0), frame.y.to_canvas(arrow.y0)},
                          {frame.x.to_canvas(arrow.x1), frame.y.to_canvas(arrow.y1)}};
    if (!shim::is_finite(line[0]) || !shim::is_finite(line[1])) continue;
    canvas.line_strip(line, {ui.style.accent, 2 * ui.scale});
    draw_mark(canvas, line[1], ui.style.accent, ui);
  }
}

void tag_curves(Canvas& canvas, const FigureLayout& frame, double distance, const Ui& ui) {
  const double at_x = frame.x.to_canvas(distance);
  if (is_on_plot(at_x, frame))
    draw_tag(canvas, distance, {at_x, frame.plot.bottom()}, frame.plot, ui);
}

/// Two lines along the cells of the diagonal, half a cell to either side of their middles.
void light_diagonal(Canvas& canvas, const Heatmap& map, const FigureLayout& frame, double distance,
                    const Ui& ui) {
  const auto diagonal = diagonal_at(map, distance);
  if (!diagonal) return;
  const Rect cell = cell_rect(map, frame, {0, 0});
  const double half_x = cell.width / 2, half_y = cell.height / 2;
  const bool fine = std::min(cell.width, cell.height) < min_cell * ui.scale;
  const Point from{frame.x.to_canvas((*diagonal)[0].x), frame.y.to_canvas((*diagonal)[0].y)};
  const Point to{frame.x.to_canvas((*diagonal)[1].x), frame.y.to_canvas((*diagonal)[1].y)};
  const double width = std::max(1.0, std::round((fine ? 1.0 : 1.5) * ui.scale));
  if (fine) {
    const Point line[] = {{from.x - half_x, from.y - half_y}, {to.x + half_x, to.y + half_y}};
    canvas.line_strip(line, {ui.style.accent, width});
  } else {
    for (const double side : {-1.0, 1.0}) {
      const Point line[] = {{from.x - half_x + side * half_x, from.y - half_y - side * half_y},
                            {to.x + half_x + side * half_x, to.y + half_y - side * half_y}};
      canvas.line_strip(line, {ui.style.accent, width});
    }
  }
}

void tag_diagonal(Canvas& canvas, const Heatmap& map, const FigureLayout& frame, double distance,
                  const Ui& ui) {
  const auto diagonal = diagonal_at(map, distance);
  if (!diagonal) return;
  const Rect cell = cell_rect(map, frame, {0, 0});
  const double x = frame.x.to_canvas(((*diagonal)[0].x + (*diagonal)[1].x) / 2);
  const double y = frame.y.to_canvas(((*diagonal)[0].y + (*diagonal)[1].y) / 2);
  draw_tag(canvas, distance, {x + 3 * cell.width / 2 + 24 * ui.scale, y - cell.height / 2},
           frame.plot, ui);
}

/// The diagonal of every map and the place in every profile; they say together which it is.
void light_equation(Canvas& canvas, const MapEquation& equation, const FigureLayout& frame,
                    double distance, const Ui& ui) {
  for (const TermOnScreen& part : parts_of(equation, frame)) {
    canvas.push_clip(part.frame.plot);
    if (part.is_profile)
      light_curves(canvas, profile_of_part(equation, part.term), part.frame, {}, distance, ui);
    else
      light_diagonal(canvas, equation.terms[part.term].map, part.frame, distance, ui);
    canvas.pop_clip();
  }
}

std::optional<double> distance_in(const MapEquation& equation, const TermOnScreen& part,
                                  Point cursor) {
  if (part.is_profile) {
    const auto readout = read_lines(profile_of_part(equation, part.term), part.frame, {}, cursor);
    return readout ? std::optional(readout->x) : std::nullopt;
  }
  const Heatmap& map = equation.terms[part.term].map;
  if (!is_query_by_key(map)) return std::nullopt;
  const auto cell = cell_at(map, part.frame, cursor);
  return cell ? std::optional(distance_of(map, *cell)) : std::nullopt;
}

}  // namespace

void draw_linked_distance(Canvas& canvas, const Figure& figure, const FigureLayout& frame,
                          const FigureView& view, double distance, const Ui& ui) {
  canvas.push_clip(frame.plot);
  if (const auto* plot = std::get_if<LinePlot>(&figure.content); plot && is_by_distance(*plot)) {
    light_curves(canvas, *plot, frame, view, distance, ui);
    tag_curves(canvas, frame, distance, ui);
  } else if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
    if (is_by_distance(*map)) {
      light_column(canvas, frame, distance, ui);
    } else {
      light_diagonal(canvas, *map, frame, distance, ui);
      tag_diagonal(canvas, *map, frame, distance, ui);
    }
  } else if (const auto* equation = std::get_if<MapEquation>(&figure.content)) {
    light_equation(canvas, *equation, frame, distance, ui);
  }
  canvas.pop_clip();
}

void draw_linked_pair(Canvas& canvas, const Figure& figure, const FigureLayout& frame,
                      const FigureView& view, std::size_t pair, const Ui& ui) {
  canvas.push_clip(frame.plot);
  if (const auto* plot = std::get_if<LinePlot>(&figure.content); plot && is_by_pair(*plot))
    light_curves(canvas, *plot, frame, view, static_cast<double>(pair), ui);
  if (const auto* map = std::get_if<Heatmap>(&figure.content); map && is_by_pair(*map))
    light_row(canvas, *map, frame, pair, ui);
  if (const auto* plot = std::get_if<VectorPlot>(&figure.content); plot && is_by_pair(*plot))
    light_arrow(canvas, *plot, frame, pair, ui);
  canvas.pop_clip();
}

std::optional<std::size_t> pointed_pair(const Figure& figure, const FigureLayout& frame,
                                        const FigureView& view, Point cursor, const Ui& ui) {
  if (const auto* plot = std::get_if<LinePlot>(&figure.content); plot && is_by_pair(*plot)) {
    const auto readout = read_lines(*plot, frame, view, cursor);
    return readout && readout->x >= 0 ? std::optional(static_cast<std::size_t>(readout->x))
                                      : std::nullopt;
  }
  if (const auto* map = std::get_if<Heatmap>(&figure.content); map && is_by_pair(*map)) {
    const auto cell = cell_at(*map, frame, cursor);
    return cell ? std::optional(cell->row) : std::nullopt;
  }
  const auto* plot = std::get_if<VectorPlot>(&figure.content);
  if (!plot || !is_by_pair(*plot)) return std::nullopt;
  const auto arrow = read_arrow(*plot, frame, cursor, arrow_reach * ui.scale);
  if (!arrow) return std::nullopt;
  const double value = plot->arrows.at(*arrow).value;
  return value >= 0 ? std::optional(static_cast<std::size_t>(value)) : std::nullopt;
}

std::optional<double> pointed_distance(const Figure& figure, const FigureLayout& frame,
                                       const FigureView& view, Point cursor) {
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    if (!is_by_distance(*plot)) return std::nullopt;
    const auto readout = read_lines(*plot, frame, view, cursor);
    // Curves of averages have points between whole tokens.
    return readout ? std::optional(std::round(readout->x)) : std::nullopt;
  }
  if (const auto* equation = std::get_if<MapEquation>(&figure.content)) {
    const auto part = part_at(*equation, frame, cursor);
    return part ? distance_in(*equation, *part, cursor) : std::nullopt;
  }
  const auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || !(is_by_distance(*map) || is_query_by_key(*map))) return std::nullopt;
  const auto cell = cell_at(*map, frame, cursor);
  if (!cell) return std::nullopt;
  return is_by_distance(*map) ? distance_at(map->x, cell->column, map->values->shape.at(1))
                              : distance_of(*map, *cell);
}

}  // namespace orrery
