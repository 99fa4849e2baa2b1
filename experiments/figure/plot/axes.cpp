#include "experiments/figure/plot/axes.h"

#include <algorithm>
#include <array>

#include "experiments/figure/plot/axis_map.h"

namespace orrery {

TextStyle label_style(const FigureStyle& style) {
  return {.size = style.text_size, .color = style.text};
}

TextStyle tick_style(const FigureStyle& style) {
  return {.size = style.small_size, .color = style.text};
}

TextStyle aligned_text(TextStyle text, VerticalAlign vertical, HorizontalAlign horizontal) {
  text.vertical = vertical;
  text.horizontal = horizontal;
  return text;
}

double line_height(const Canvas& canvas, const TextStyle& style) {
  return canvas.text_size("Xg", style).height;
}

Rect shrunk(const Rect& rect, double left, double top, double right, double bottom) {
  return {rect.x + left, rect.y + top, std::max(0.0, rect.width - left - right),
          std::max(0.0, rect.height - top - bottom)};
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

bool is_within(const Rect& inner, const Rect& outer) {
  return inner.x >= outer.x && inner.right() <= outer.right() && inner.y >= outer.y &&
         inner.bottom() <= outer.bottom();
}

void draw_segment(Canvas& canvas, Point from, Point to, const Stroke& stroke) {
  canvas.line_strip(std::array{from, to}, stroke);
}

void draw_outline(Canvas& canvas, const Rect& r, const Stroke& stroke) {
  canvas.line_strip(std::array{Point{r.x, r.y}, Point{r.right(), r.y}, Point{r.right(), r.bottom()},
                               Point{r.x, r.bottom()}, Point{r.x, r.y}},
                    stroke);
}

namespace {

/// An axis with less room than this, in line heights, has no label, or no text at all.
constexpr double min_lines_for_label = 9.0;
constexpr double min_lines_for_ticks = 4.0;
/// Largest share of the room across the axis that token names may take.
constexpr double max_share_for_names = 0.28;

/// One axis during the search for the plot rectangle: its map, ticks and thickness.
class AxisFitter {
 public:
  AxisFitter(const PlotContext& context, const AxisPlan& plan, bool horizontal, const Rect& room)
      : context_(context), plan_(plan), horizontal_(horizontal), room_(room) {
    const double line = line_height(context.canvas, label_style(context.style));
    const double smaller_side = std::min(room.width, room.height);
    has_ticks_ = smaller_side >= min_lines_for_ticks * line;
    if (smaller_side < min_lines_for_label * line) plan_.label = {};
    elide_names(max_share_for_names * (horizontal ? room.height : room.width));
  }

  AxisMap map(const Rect& plot) const {
    const bool up = !horizontal_ && !plan_.downward;
    const double low = horizontal_ ? plot.x : plot.y;
    const double high = horizontal_ ? plot.right() : plot.bottom();
    return {plan_.scale, plan_.symlog_threshold, plan_.data, up ? high : low, up ? low : high};
  }

  /// Ticks for this plot: the names if they fit, numbers otherwise.
  Ticks ticks(const Rect& plot) {
    named_ = false;
    length_ = horizontal_ ? plot.width : plot.height;
    if (!has_ticks_) return {};
    const AxisMap axis = map(plot);
    if (!plan_.names.empty()) {
      Ticks ticks = name_ticks(axis, plan_.names, tick_room(true), plan_.first_name);
      named_ = !ticks.major.empty();
      if (named_) return ticks;
    }
    return choose_ticks(axis, tick_room(false));
  }

  /// Width by which the last label extends beyond the plot.
  double overhang(const Ticks& ticks, const Rect& plot) const {
    if (named_ || ticks.major.empty()) return 0.0;
    const Tick& last = ticks.major.back();
    return std::max(0.0, last.at + 0.5 * width(last.label) - plot.right());
  }
  /// The largest overhang of these labels, wherever their ticks stand: a plot that is moved keeps
  /// its size.
  double largest_overhang(const Ticks& ticks) const { return named_ ? 0.0 : 0.5 * widest(ticks); }

  bool named() const { return named_; }
  /// Lines of the label: one below the plot, where a plot is wide.
  std::size_t lines() const {
    if (horizontal_) return 1;
    return label_lines(context_.canvas, plan_.label, label_style(context_.style), length_);
  }
  const Label& label() const { return plan_.label; }

  /// Space across the axis for these ticks, their labels and the axis label.
  double thickness(const Ticks& ticks) const {
    if (!has_ticks_) return 0.0;
    const bool across = horizontal_ ? named_ : true;
    const double text =
        across ? widest(ticks) : line_height(context_.canvas, tick_style(context_.style));
    return tick_length(context_.style) + 0.5 * gap(context_.style) + text + label_thickness();
  }

 private:
  double widest(const Ticks& ticks) const {
    double widest = 0.0;
    for (const Tick& tick : ticks.major) widest = std::max(widest, width(tick.label));
    return widest;
  }

  double width(std::string_view text) const {
    return text.empty() ? 0.0 : context_.canvas.text_size(text, tick_style(context_.style)).width;
  }

  double label_thickness() const {
    if (plan_.label.empty()) return 0.0;
    return gap(context_.style) +
           static_cast<double>(lines()) * line_height(context_.canvas, label_style(context_.style));
  }

  TickRoom tick_room(bool names) const {
    const double line = line_height(context_.canvas, tick_style(context_.style));
    TickRoom room;
    room.bounds = horizontal_ ? Range{room_.x, room_.right()} : Range{room_.y, room_.bottom()};
    room.integers = plan_.integers;
    if (horizontal_ && !names) {
      room.spacing = 4.5 * line;
      room.gap = 0.8 * context_.style.small_size;
      room.extent = [this](std::string_view text) { return width(text); };
    } else {
      room.spacing = names ? 0.0 : 2.6 * line;
      room.gap = names ? -0.12 * line : 0.3 * line;
      room.extent = [line](std::string_view) { return line; };
    }
    return room;
  }

  void elide_names(double max_width) {
    for (std::string& name : plan_.names)
      name = elided_words(context_.canvas, name, tick_style(context_.style), max_width);
  }

  const PlotContext& context_;
  AxisPlan plan_;
  bool horizontal_;
  Rect room_;
  bool has_ticks_{true};
  bool named_{false};
  double length_{};  ///< of the axis
};

/// A square, or as much wider as `widest` allows.
void make_square(Rect& plot, double widest) {
  const double height = std::min(plot.width, plot.height);
  const double width = std::min(plot.width, widest * height);
  plot.x += 0.5 * (plot.width - width);
  plot.width = width;
  plot.height = height;
}

/// Widens one of the ranges so that a unit has the same length on both axes.
void equalize(AxisPlan& x, AxisPlan& y, const Rect& plot) {
  if (!(plot.width > 0.0) || !(plot.height > 0.0)) return;
  const double per_x = (x.data.max - x.data.min) / plot.width;
  const double per_y = (y.data.max - y.data.min) / plot.height;
  const auto stretch = [](Range& range, double span) {
    const double middle = 0.5 * (range.min + range.max);
    range = {middle - 0.5 * span, middle + 0.5 * span};
  };
  if (per_x < per_y) stretch(x.data, per_y * plot.width);
  if (per_y < per_x) stretch(y.data, per_x * plot.height);
}

constexpr int passes = 3;  ///< the plot depends on the ticks and they on it; two passes suffice

}  // namespace

AxisPlan plan_axis(const Axis& axis, const std::optional<AxisScale>& scale, const Range& data,
                   const std::optional<double>& threshold) {
  AxisPlan plan;
  plan.label = {axis.label, axis.symbol, axis.unit};
  plan.scale = scale.value_or(axis.scale);
  plan.symlog_threshold = usable_threshold(threshold.value_or(axis.symlog_threshold));
  plan.data = data;
  return plan;
}

Axes place_axes(const PlotContext& context, AxisPlan x, AxisPlan y, const Rect& room,
                Aspect aspect) {
  Axes axes;
  axes.plot = room;
  for (int pass = 0; pass < passes; ++pass) {
    if (aspect == Aspect::equal_scale) equalize(x, y, axes.plot);
    AxisFitter fit_x(context, x, true, room), fit_y(context, y, false, room);
    const double left = fit_y.thickness(fit_y.ticks(axes.plot));
    const std::size_t y_lines = fit_y.lines();
    const double below = fit_x.thickness(fit_x.ticks(axes.plot));
    const double top =
        left > 0.0 ? 0.4 * line_height(context.canvas, tick_style(context.style)) : 0.0;
    const double beyond = context.view.x ? fit_x.largest_overhang(axes.x_ticks)
                                         : fit_x.overhang(axes.x_ticks, axes.plot);
    const double right = std::max(top, beyond);
    axes.plot = shrunk(room, left, top, right, below);
    if (aspect == Aspect::square_plot) make_square(axes.plot, context.style.widest_map);
    axes.x = fit_x.map(axes.plot);
    axes.y = fit_y.map(axes.plot);
    axes.x_ticks = fit_x.ticks(axes.plot);
    axes.y_ticks = fit_y.ticks(axes.plot);
    axes.names_on_x = fit_x.named();
    axes.x_label = fit_x.label();
    axes.y_label = fit_y.label();
    axes.y_label_lines = y_lines;
    axes.x_axis = {axes.plot.x, axes.plot.bottom(), axes.plot.width, below};
    axes.y_axis = {axes.plot.x - left, axes.plot.y, left, axes.plot.height};
  }
  return axes;
}

void draw_plot_background(PlotContext& context, const Axes& axes, bool grid) {
  const Rect& plot = axes.plot;
  context.canvas.rect(plot, context.style.plot_background);
  if (!grid) return;
  const Stroke line{context.style.grid, hairline(context.style)};
  for (const Tick& tick : axes.x_ticks.major)
    draw_segment(context.canvas, {tick.at, plot.y}, {tick.at, plot.bottom()}, line);
  for (const Tick& tick : axes.y_ticks.major)
    draw_segment(context.canvas, {plot.x, tick.at}, {plot.right(), tick.at}, line);
}

namespace {

void draw_x_axis(PlotContext& context, const Axes& axes) {
  const Rect& box = axes.x_axis;
  const double tick = tick_length(context.style);
  const Stroke line{context.style.axis, hairline(context.style)};
  TextStyle text = tick_style(context.style);
  text.horizontal = axes.names_on_x ? HorizontalAlign::right : HorizontalAlign::center;
  text.upward = axes.names_on_x;
  text.vertical = axes.names_on_x ? VerticalAlign::middle : VerticalAlign::top;
  for (const double at : axes.x_ticks.minor)
    draw_segment(context.canvas, {at, box.y}, {at, box.y + 0.5 * tick}, line);
  for (const Tick& t : axes.x_ticks.major) {
    draw_segment(context.canvas, {t.at, box.y}, {t.at, box.y + tick}, line);
    if (t.label.empty()) continue;
    context.canvas.text({t.label_at, box.y + tick + 0.5 * gap(context.style)}, t.label, text);
  }
  TextStyle label =
      aligned_text(label_style(context.style), VerticalAlign::bottom, HorizontalAlign::center);
  draw_label(context.canvas, {box.x + 0.5 * box.width, box.bottom()}, axes.x_label, label,
             box.width);
}

void draw_y_axis(PlotContext& context, const Axes& axes) {
  const Rect& box = axes.y_axis;
  const double tick = tick_length(context.style);
  const Stroke line{context.style.axis, hairline(context.style)};
  TextStyle text =
      aligned_text(tick_style(context.style), VerticalAlign::middle, HorizontalAlign::right);
  for (const double at : axes.y_ticks.minor)
    draw_segment(context.canvas, {box.right() - 0.5 * tick, at}, {box.right(), at}, line);
  for (const Tick& t : axes.y_ticks.major) {
    draw_segment(context.canvas, {box.right() - tick, t.at}, {box.right(), t.at}, line);
    if (t.label.empty()) continue;
    context.canvas.text({box.right() - tick - 0.5 * gap(context.style), t.label_at}, t.label, text);
  }
  TextStyle label =
      aligned_text(label_style(context.style), VerticalAlign::top, HorizontalAlign::center);
  label.upward = true;
  draw_label(context.canvas, {box.x, box.y + 0.5 * box.height}, axes.y_label, label, box.height,
             axes.y_label_lines);
}

}  // namespace

void draw_axes(PlotContext& context, const Axes& axes) {
  const Rect& plot = axes.plot;
  const Stroke line{context.style.axis, hairline(context.style)};
  draw_segment(context.canvas, {plot.x, plot.y}, {plot.x, plot.bottom()}, line);
  draw_segment(context.canvas, {plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, line);
  if (axes.x_axis.height > 0.0) draw_x_axis(context, axes);
  if (axes.y_axis.width > 0.0) draw_y_axis(context, axes);
  context.layout.plot = plot;
  context.layout.x = axes.x;
  context.layout.y = axes.y;
  context.layout.x_axis = axes.x_axis;
  context.layout.y_axis = axes.y_axis;
  context.content_bottom = axes.plot.bottom() + axes.x_axis.height;
}

}  // namespace orrery
