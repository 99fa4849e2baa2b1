#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/color_bar.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/figure/plot/decimate.h"

namespace orrery {
namespace {

struct Extents {
  Range x{};
  Range y{};
  Range value{};
};

void include(Range& range, double value) {
  if (!std::isfinite(value)) return;
  range = {std::min(range.min, value), std::max(range.max, value)};
}

Extents extents_of(const VectorPlot& plot) {
  constexpr double none = std::numeric_limits<double>::infinity();
  // A plane of vectors includes the origin.
  Extents extents{{0.0, 0.0}, {0.0, 0.0}, {none, -none}};
  const auto add = [&](const Arrow& arrow) {
    for (const double x : {arrow.x0, arrow.x1}) include(extents.x, x);
    for (const double y : {arrow.y0, arrow.y1}) include(extents.y, y);
  };
  for (const Arrow& arrow : plot.arrows) {
    add(arrow);
    include(extents.value, arrow.value);
  }
  if (plot.sum) add(*plot.sum);
  if (extents.value.min > extents.value.max) extents.value = {};
  return extents;
}

Range padded(const Range& range) {
  const double padding = 0.06 * (range.max - range.min);
  return {range.min - padding, range.max + padding};
}

AxisPlan plan_plane(const Axis& axis, const std::optional<Range>& view, const Range& data) {
  const Range fitted = usable_range(padded(data), AxisScale::linear, data);
  const Range range = usable_range(axis.range.value_or(fitted), AxisScale::linear, fitted);
  AxisPlan plan = plan_axis(axis, AxisScale::linear, range);
  plan.data = usable_range(view.value_or(range), AxisScale::linear, range);
  return plan;
}

void draw_arrow(PlotContext& context, const Axes& axes, const Arrow& arrow, Color color,
                double width) {
  const Point from{axes.x.to_canvas(arrow.x0), axes.y.to_canvas(arrow.y0)};
  const Point to{axes.x.to_canvas(arrow.x1), axes.y.to_canvas(arrow.y1)};
  if (!std::isfinite(from.x + from.y) || !std::isfinite(to.x + to.y)) return;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0.0)) return;
  const double head = std::min(4.5 * width, 0.6 * length);
  const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
  const Point neck{to.x - head * along.x, to.y - head * along.y};
  const double half = 0.42 * head;
  for (const Strip& piece : clipped({from, neck}, shrunk(axes.plot, -9.0, -9.0, -9.0, -9.0))) {
    if (piece.size() > 1) context.canvas.line_strip(piece, {color, width});
  }
  const Rect near = shrunk(axes.plot, -head, -head, -head, -head);
  if (!near.contains(to)) return;
  context.canvas.fill(std::array{to, Point{neck.x - half * along.y, neck.y + half * along.x},
                                 Point{neck.x + half * along.y, neck.y - half * along.x}},
                      color);
}

void draw_arrows(PlotContext& context, const VectorPlot& plot, const Axes& axes,
                 const Range& values) {
  const Colormap& map = stroke_colormap(background_of(context.style));
  const double span = values.max - values.min;
  context.canvas.push_clip(axes.plot);
  for (const Arrow& arrow : plot.arrows) {
    const double fraction = span > 0.0 ? (arrow.value - values.min) / span : 1.0;
    const Color color = std::isnan(fraction) ? context.style.not_a_number : map.at(fraction);
    draw_arrow(context, axes, arrow, color, 0.85 * context.style.line_width);
  }
  if (plot.sum)
    draw_arrow(context, axes, *plot.sum, context.style.text, 1.6 * context.style.line_width);
  context.canvas.pop_clip();
}

/// A name beyond the tip of each arrow, or beside it, where it touches no other; the first ones have
/// the room.
void draw_tips(PlotContext& context, const VectorPlot& plot, const Axes& axes) {
  const TextStyle style =
      aligned_text(tick_style(context.style), VerticalAlign::middle, HorizontalAlign::center);
  std::vector<Rect> taken;
  for (std::size_t i = 0; i < plot.tips.size() && i <= plot.arrows.size(); ++i) {
    if (i == plot.arrows.size() && !plot.sum) break;
    const Arrow& arrow = i < plot.arrows.size() ? plot.arrows[i] : *plot.sum;
    const Point to{axes.x.to_canvas(arrow.x1), axes.y.to_canvas(arrow.y1)};
    const double dx = to.x - axes.x.to_canvas(arrow.x0), dy = to.y - axes.y.to_canvas(arrow.y0);
    const double length = std::hypot(dx, dy);
    if (plot.tips[i].empty() || !(length > 0.0)) continue;
    const Size size = rich_size(context.canvas, plot.tips[i], style);
    // As far out as the box of the text reaches towards the arrow.
    const double out = 0.5 * gap(context.style) +
                       0.5 * (std::abs(dx) * size.width + std::abs(dy) * size.height) / length;
    const double beside = gap(context.style) + 0.5 * size.height;
    const double inside = std::max(axes.plot.x + 0.5 * size.width,
                                   std::min(to.x, axes.plot.right() - 0.5 * size.width));
    const std::array centers{Point{to.x + out * dx / length, to.y + out * dy / length},
                             Point{inside, to.y - beside}, Point{inside, to.y + beside}};
    const auto box_at = [&](const Point& at) {
      return Rect{at.x - 0.5 * size.width, at.y - 0.5 * size.height, size.width, size.height};
    };
    const auto* place = std::ranges::find_if(centers, [&](const Point& at) {
      return is_within(box_at(at), axes.plot) &&
             std::ranges::none_of(taken,
                                  [&](const Rect& other) { return overlap(other, box_at(at)); });
    });
    if (place == centers.end()) continue;
    draw_rich(context.canvas, *place, plot.tips[i], style);
    taken.push_back(box_at(*place));
  }
}

}  // namespace

void draw_content(PlotContext& context, const VectorPlot& plot, const Rect& room) {
  const Extents extents = extents_of(plot);
  const bool colored = extents.value.max > extents.value.min;
  const Range values =
      usable_range(context.view.color.value_or(extents.value), AxisScale::linear, extents.value);
  const ColorBarPlan bar{&stroke_colormap(background_of(context.style)),
                         values,
                         Label{plot.quantity, "", ""},
                         Meaning::sequential,
                         {}};
  const double bar_width =
      colored && !context.style.small_keys ? color_bar_width(context, bar, room) : 0.0;
  const Axes axes = place_axes(context, plan_plane(plot.x, context.view.x, extents.x),
                               plan_plane(plot.y, context.view.y, extents.y),
                               shrunk(room, 0.0, 0.0, bar_width, 0.0), Aspect::equal_scale);
  draw_plot_background(context, axes, true);
  draw_arrows(context, plot, axes, values);
  draw_tips(context, plot, axes);
  draw_axes(context, axes);
  context.style.small_keys&& colored ? draw_small_key(context, bar, axes)
                                     : draw_color_bar(context, bar, axes.plot, bar_width);
}

}  // namespace orrery
