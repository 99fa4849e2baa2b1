#include "experiments/figure/plot/heatmap_plot.h"

#include <algorithm>
#include <cmath>

#include "experiments/figure/plot/color_bar.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/data_range.h"

namespace orrery {
namespace {

/// Mapping between an axis's data values and cell coordinates: cells are one unit wide and centred
/// at integers. On a logarithmic axis they are of equal width there.
struct CellAxis {
  double first{};  ///< value at the centre of cell 0, on the scale
  double step{1.0};
  std::size_t count{};
  AxisScale scale{AxisScale::linear};
  Range data() const { return {value(-0.5), value(static_cast<double>(count) - 0.5)}; }
  double value(double cell) const { return scale_inverse(scale, 1.0, first + step * cell); }
  double cell(double value) const { return (scale_forward(scale, 1.0, value) - first) / step; }
};

/// That of the axis where cells have one.
AxisScale cell_scale(const Axis& axis) {
  return is_log(axis.scale) && axis.range && axis.range->min > 0 ? axis.scale : AxisScale::linear;
}

CellAxis cell_axis(const Axis& axis, std::size_t count) {
  const CellAxis counted{0.0, 1.0, count};
  if (!axis.range || count < 2) return counted;
  const AxisScale scale = cell_scale(axis);
  const double min = scale_forward(scale, 1.0, axis.range->min);
  const double max = scale_forward(scale, 1.0, axis.range->max);
  const double span = max - min;
  const double step = span / static_cast<double>(count - 1);
  // The edges of the first and the last cell lie beyond the range.
  const bool has_edges = std::isfinite(min - span) && std::isfinite(max + span);
  return step > 0.0 && has_edges ? CellAxis{min, step, count, scale} : counted;
}

AxisPlan plan_cells(const Axis& axis, const CellAxis& cells, const std::vector<std::string>& names,
                    const std::optional<Range>& view) {
  AxisPlan plan = plan_axis(axis, cells.scale, cells.data());
  plan.data = usable_range(view.value_or(plan.data), cells.scale, plan.data);
  plan.integers = cells.scale == AxisScale::linear && cells.step == 1.0 &&
                  cells.first == std::floor(cells.first);
  if (names.size() == cells.count && plan.integers) {
    plan.names = names;
    plan.first_name = cells.first;
  }
  return plan;
}

/// Visible cells along one axis: [first, first + count).
struct CellSpan {
  std::size_t first{};
  std::size_t count{};
};

CellSpan shown_cells(const CellAxis& cells, const Range& data) {
  const auto most = static_cast<double>(cells.count);
  const double first = std::clamp(std::floor(cells.cell(data.min) + 0.5), 0.0, most);
  const double last = std::clamp(std::ceil(cells.cell(data.max) + 0.5), first, most);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)};
}

template <typename Test>
bool any_cell(const Array& array, Test test) {
  return std::visit([&](const auto& cells) { return std::ranges::any_of(cells, test); },
                    array.values);
}

std::vector<ColorBarPlan::Key> color_keys(const HeatmapCache& cache, const FigureStyle& style) {
  std::vector<ColorBarPlan::Key> keys;
  if (cache.any_masked) keys.push_back({style.masked, "masked"});
  if (cache.any_nan) keys.push_back({style.not_a_number, "NaN"});
  return keys;
}

Rect rect_of(const Axes& axes, const CellAxis& x, const CellAxis& y, const CellSpan& columns,
             const CellSpan& rows) {
  const auto edge = [](const AxisMap& map, const CellAxis& cells, std::size_t cell) {
    return map.to_canvas(cells.value(static_cast<double>(cell) - 0.5));
  };
  const double left = edge(axes.x, x, columns.first);
  const double top = edge(axes.y, y, rows.first);
  return {left, top, edge(axes.x, x, columns.first + columns.count) - left,
          edge(axes.y, y, rows.first + rows.count) - top};
}

int pixels_along(double length, double per_point) {
  constexpr double most = 8192.0;
  // At most the target's own pixels: one that it drops could hold the maximum.
  return static_cast<int>(std::clamp(std::floor(length * per_point), 1.0, most));
}

/// Whether the cached image shows the same map at the same size on the canvas, to a hundredth of a
/// pixel over the whole image.
bool is_panned(const HeatmapCache& cache, const Heatmap& map, const Axes& axes, const CellAxis& x,
               const CellAxis& y) {
  constexpr double most_apart = 0.01;
  const HeatmapCache::Key& key = cache.key;
  if (!cache.image || key.values != map.values || key.masked != map.masked) return false;
  const Rect now = rect_of(axes, x, y, {key.first_column, key.columns}, {key.first_row, key.rows});
  return std::abs(now.width - cache.target.width) < most_apart &&
         std::abs(now.height - cache.target.height) < most_apart;
}

bool covers(const HeatmapCache::Key& key, const CellSpan& columns, const CellSpan& rows) {
  return key.first_column <= columns.first &&
         key.first_column + key.columns >= columns.first + columns.count &&
         key.first_row <= rows.first && key.first_row + key.rows >= rows.first + rows.count;
}

/// The cells and half as many on either side, within the map.
CellSpan widened(const CellSpan& shown, std::size_t count) {
  const std::size_t first = shown.first - std::min(shown.first, shown.count / 2);
  const std::size_t end = std::min(count, shown.first + shown.count + shown.count / 2);
  return {first, end - first};
}

/// Whether the cache knows the map's values, and that each is a number that is seen.
bool is_complete(const HeatmapCache& cache, const Heatmap& map) {
  return cache.ranged_values == map.values && cache.ranged_mask == map.masked &&
         !cache.any_masked && !cache.any_nan;
}

void draw_cells(PlotContext& context, const Heatmap& map, const Axes& axes, const CellAxis& x,
                const CellAxis& y, const Range& colors, HeatmapCache& cache) {
  CellSpan columns = shown_cells(x, axes.x.data), rows = shown_cells(y, axes.y.data);
  if (columns.count == 0 || rows.count == 0) return;
  if (is_panned(cache, map, axes, x, y)) {
    // A map that is being dragged is drawn with its surroundings, so that the next frames only move
    // the image.
    if (!covers(cache.key, columns, rows)) {
      columns = widened(columns, x.count);
      rows = widened(rows, y.count);
    } else {
      columns = {cache.key.first_column, cache.key.columns};
      rows = {cache.key.first_row, cache.key.rows};
    }
  }
  const Rect target = rect_of(axes, x, y, columns, rows);
  const double pixels_per_point = context.canvas.pixels_per_point();
  const HeatmapCache::Key key{map.values,
                              map.masked,
                              rows.first,
                              rows.count,
                              columns.first,
                              columns.count,
                              pixels_along(target.width, pixels_per_point),
                              pixels_along(target.height, pixels_per_point),
                              colors,
                              map.meaning,
                              context.view.minification,
                              context.style.plot_background,
                              context.style.masked,
                              context.style.not_a_number,
                              is_complete(cache, map)};
  if (!cache.image || cache.key != key) {
    cache.image = std::make_shared<const Image>(
        rasterised(key, colormap(map.meaning, background_of(context.style))));
    cache.key = key;
  }
  cache.target = target;
  context.canvas.push_clip(axes.plot);
  context.canvas.image(cache.image, target, Filter::nearest);
  context.canvas.pop_clip();
}

}  // namespace

void refresh_range(HeatmapCache& cache, const Heatmap& map) {
  if (cache.ranged_values == map.values && cache.ranged_mask == map.masked) return;
  cache.ranged_values = map.values;
  cache.ranged_mask = map.masked;
  cache.range = value_range(*map.values, map.masked.get());
  cache.any_masked = map.masked && any_cell(*map.masked, [](auto cell) { return cell != 0; });
  const bool cyclic = map.meaning == Meaning::cyclic;  // an infinite angle is drawn as NaN is
  cache.any_nan = any_cell(*map.values, [cyclic](auto cell) {
    return std::isnan(cell) || (cyclic && std::isinf(cell));
  });
}

void draw_bare_map(PlotContext& context, const Heatmap& map, const Rect& plot,
                   const Range& colors) {
  const MapShape shape = shape_of(map.values.get());
  if (shape.rows == 0 || shape.columns == 0) return;
  HeatmapCache own;
  HeatmapCache& cache = context.cache ? *context.cache : own;
  const CellAxis x = cell_axis(map.x, shape.columns), y = cell_axis(map.y, shape.rows);
  Axes axes;
  axes.plot = plot;
  const auto shown = [](const std::optional<Range>& view, const CellAxis& cells) {
    return usable_range(view.value_or(cells.data()), cells.scale, cells.data());
  };
  axes.x = {x.scale, 1.0, shown(context.view.x, x), plot.x, plot.right()};
  axes.y = {y.scale, 1.0, shown(context.view.y, y), plot.y, plot.bottom()};
  context.canvas.rect(plot, context.style.plot_background);
  draw_cells(context, map, axes, x, y, colors, cache);
  draw_outline(context.canvas, plot, {context.style.axis, hairline(context.style)});
  context.layout.area = plot;
  context.layout.plot = plot;
  context.layout.x = axes.x;
  context.layout.y = axes.y;
}

namespace {

/// The map with its numbers as they are spread over the colours.
Heatmap scaled_map(const Heatmap& map, HeatmapCache& cache) {
  if (cache.scaled_from != map.values || cache.scaled_mask != map.masked ||
      cache.scaling != map.colors) {
    cache.scaled = scaled_values(map);
    cache.scaled_from = map.values;
    cache.scaled_mask = map.masked;
    cache.scaling = map.colors;
  }
  Heatmap scaled = map;
  scaled.values = cache.scaled;
  scaled.colors = ColorScaling::linear;
  return scaled;
}

void draw_map(PlotContext& context, const Heatmap& map, const Rect& room, HeatmapCache& cache,
              ColorBarPlan bar, const std::optional<Range>& wanted) {
  const MapShape shape = shape_of(map.values.get());
  refresh_range(cache, map);
  const CellAxis x = cell_axis(map.x, shape.columns), y = cell_axis(map.y, shape.rows);
  AxisPlan plan_x = plan_cells(map.x, x, map.column_labels, context.view.x);
  AxisPlan plan_y = plan_cells(map.y, y, map.row_labels, context.view.y);
  plan_y.downward = true;
  const Range colors = color_range(map.meaning, cache.range, wanted);
  if (bar.range == Range{}) bar.range = colors;
  bar.keys = color_keys(cache, context.style);
  const double bar_width = context.style.small_keys ? 0.0 : color_bar_width(context, bar, room);
  const Axes axes = place_axes(context, plan_x, plan_y, shrunk(room, 0.0, 0.0, bar_width, 0.0),
                               shape.rows == shape.columns ? Aspect::square_plot : Aspect::free);
  draw_plot_background(context, axes, false);
  draw_cells(context, map, axes, x, y, colors, cache);
  draw_map_lines(context, map.lines, axes);
  draw_reference_lines(context, map.rules, axes, {}, {});
  draw_axes(context, axes);
  context.style.small_keys ? draw_small_key(context, bar, axes)
                           : draw_color_bar(context, bar, axes.plot, bar_width);
}

}  // namespace

void draw_content(PlotContext& context, const Heatmap& map, const Rect& room) {
  const MapShape shape = shape_of(map.values.get());
  if (shape.rows == 0 || shape.columns == 0) return;
  HeatmapCache own;
  HeatmapCache& cache = context.cache ? *context.cache : own;
  const std::optional<Range> wanted = context.view.color ? context.view.color : map.range;
  ColorBarPlan bar{.map = &colormap(map.meaning, background_of(context.style)),
                   .label = map.classes.empty() ? Label{map.quantity, map.symbol, ""} : Label{},
                   .meaning = map.meaning,
                   .classes = static_cast<int>(map.classes.size())};
  for (std::size_t i = 0; i < map.classes.size(); ++i)
    bar.ticks.emplace_back(static_cast<double>(i), map.classes[i]);
  if (!map.classes.empty()) bar.range = {-0.5, static_cast<double>(map.classes.size()) - 0.5};
  if (map.colors == ColorScaling::linear || map.meaning != Meaning::sequential) {
    draw_map(context, map, room, cache, std::move(bar), wanted);
    return;
  }
  const Range places = scale_colors(map, wanted, bar);
  draw_map(context, scaled_map(map, cache), room, cache, std::move(bar), places);
}

std::optional<Cell> cell_at(const Heatmap& map, const FigureLayout& layout, Point point) {
  const MapShape shape = shape_of(map.values.get());
  if (!layout.plot.contains(point)) return std::nullopt;
  const CellAxis x = cell_axis(map.x, shape.columns), y = cell_axis(map.y, shape.rows);
  const double column = std::floor(x.cell(layout.x.to_data(point.x)) + 0.5);
  const double row = std::floor(y.cell(layout.y.to_data(point.y)) + 0.5);
  const bool inside = column >= 0.0 && row >= 0.0 && column < static_cast<double>(shape.columns) &&
                      row < static_cast<double>(shape.rows);
  if (!inside) return std::nullopt;
  return Cell{static_cast<std::size_t>(row), static_cast<std::size_t>(column)};
}

Range cells_range(const Axis& axis, std::size_t count) { return cell_axis(axis, count).data(); }

Rect cell_rect(const Heatmap& map, const FigureLayout& layout, Cell cell) {
  const MapShape shape = shape_of(map.values.get());
  Axes axes;
  axes.x = layout.x;
  axes.y = layout.y;
  return rect_of(axes, cell_axis(map.x, shape.columns), cell_axis(map.y, shape.rows),
                 {cell.column, 1}, {cell.row, 1});
}

}  // namespace orrery
