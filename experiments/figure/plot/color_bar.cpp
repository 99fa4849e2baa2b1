#include "experiments/figure/plot/color_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double most_decades = 6.0;  ///< weights below a millionth of the largest look alike

bool counts(const Heatmap& map, std::size_t i) {
  const bool masked = map.masked && (*map.masked)[i] != 0.0;
  return !masked && std::isfinite((*map.values)[i]);
}

/// The finite, unmasked numbers in ascending order.
std::vector<double> sorted_values(const Heatmap& map) {
  std::vector<double> values;
  for (std::size_t i = 0; i < map.values->size(); ++i)
    if (counts(map, i)) values.push_back((*map.values)[i]);
  std::ranges::sort(values);
  return values;
}

double log_place(double value) {
  if (std::isnan(value)) return value;
  return value > 0.0 ? std::log10(value) : -std::numeric_limits<double>::infinity();
}

double rank_place(const std::vector<double>& sorted, double value) {
  if (std::isnan(value)) return value;
  if (sorted.size() < 2) return 0.5;
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
  const auto below = static_cast<double>(first - sorted.begin());
  const auto upto = static_cast<double>(last - sorted.begin());
  const double place = (0.5 * (below + upto) - 0.5) / static_cast<double>(sorted.size() - 1);
  return std::clamp(place, 0.0, 1.0);
}

double quantile_of(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(
      std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

Range quantile_colors(const Heatmap& map, ColorBarPlan& bar) {
  const std::vector<double> sorted = sorted_values(map);
  bar.range = {0.0, 1.0};
  if (sorted.empty()) return bar.range;
  for (const double share : {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0})
    bar.ticks.emplace_back(share, fmt::format("{:.3g}", quantile_of(sorted, share)));
  return bar.range;
}

Range log_colors(const Heatmap& map, const std::optional<Range>& wanted, ColorBarPlan& bar) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (std::size_t i = 0; i < map.values->size(); ++i) {
    const double value = (*map.values)[i];
    if (!counts(map, i) || !(value > 0.0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (wanted && wanted->max > 0.0) high = wanted->max;
  if (!(high > 0.0)) high = 1.0;
  low = std::clamp(low, high * std::pow(10.0, -most_decades), high / 10.0);
  if (wanted && wanted->min > 0.0 && wanted->min < high) low = wanted->min;
  bar.range = {low, high};
  bar.scale = AxisScale::log10;
  return {std::log10(low), std::log10(high)};
}

/// Smallest height of a plot with a bar, in line heights; its width must be twice that.
constexpr double min_lines = 7.0;

double bar_width(const FigureStyle& style) { return 1.05 * style.text_size; }
double bar_gap(const FigureStyle& style) { return 0.9 * style.text_size; }
double bar_tick_length(const FigureStyle& style) { return 0.3 * style.small_size; }

double key_height(const PlotContext& context) {
  return 1.1 * line_height(context.canvas, tick_style(context.style));
}

double keys_height(const PlotContext& context, const ColorBarPlan& plan) {
  if (plan.keys.empty()) return 0.0;
  return static_cast<double>(plan.keys.size()) * key_height(context) + 1.5 * gap(context.style);
}

double keys_width(const PlotContext& context, const ColorBarPlan& plan) {
  double widest = 0.0;
  for (const ColorBarPlan::Key& key : plan.keys)
    widest = std::max(widest, context.canvas.text_size(key.word, tick_style(context.style)).width);
  return bar_width(context.style) + gap(context.style) + widest;
}

Rect bar_rect(const PlotContext& context, const ColorBarPlan& plan, const Rect& plot) {
  return {plot.right() + bar_gap(context.style), plot.y, bar_width(context.style),
          std::max(0.0, plot.height - keys_height(context, plan))};
}

AxisMap bar_axis(const ColorBarPlan& plan, const Rect& bar) {
  return {plan.scale, 1.0, plan.range, bar.bottom(), bar.y};
}

Ticks bar_ticks(const PlotContext& context, const ColorBarPlan& plan, const Rect& bar) {
  const double line = line_height(context.canvas, tick_style(context.style));
  TickRoom room;
  room.spacing = 2.6 * line;
  room.gap = 0.3 * line;
  room.bounds = {bar.y - 0.5 * line, bar.bottom() + 0.5 * line};
  room.extent = [line](std::string_view) { return line; };
  const AxisMap axis = bar_axis(plan, bar);
  if (!plan.ticks.empty()) {
    Ticks ticks;
    for (const auto& [value, label] : plan.ticks)
      ticks.major.push_back({value, axis.to_canvas(value), label, axis.to_canvas(value)});
    return ticks;
  }
  return plan.meaning == Meaning::cyclic ? choose_angle_ticks(axis, room)
                                         : choose_ticks(axis, room);
}

double widest_label(const PlotContext& context, const Ticks& ticks) {
  double widest = 0.0;
  for (const Tick& tick : ticks.major) {
    if (tick.label.empty()) continue;
    widest =
        std::max(widest, context.canvas.text_size(tick.label, tick_style(context.style)).width);
  }
  return widest;
}

void draw_keys(PlotContext& context, const ColorBarPlan& plan, const Rect& bar, double bottom) {
  const double row = key_height(context);
  TextStyle text = aligned_text(tick_style(context.style), VerticalAlign::middle);
  double middle = bottom - (static_cast<double>(plan.keys.size()) - 0.5) * row;
  for (const ColorBarPlan::Key& key : plan.keys) {
    context.canvas.rect({bar.x, middle - 0.32 * row, bar.width, 0.64 * row}, key.color);
    context.canvas.text({bar.right() + gap(context.style), middle}, key.word, text);
    middle += row;
  }
}

}  // namespace

std::shared_ptr<const Array> scaled_values(const Heatmap& map) {
  Array scaled{.name = map.values->name, .shape = map.values->shape};
  std::vector<double> places(map.values->size());
  const std::vector<double> sorted =
      map.colors == ColorScaling::quantile ? sorted_values(map) : std::vector<double>{};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double value = (*map.values)[i];
    places[i] = map.colors == ColorScaling::quantile ? rank_place(sorted, value) : log_place(value);
  }
  scaled.values = std::move(places);
  return std::make_shared<const Array>(std::move(scaled));
}

Range scale_colors(const Heatmap& map, const std::optional<Range>& wanted, ColorBarPlan& bar) {
  return map.colors == ColorScaling::quantile ? quantile_colors(map, bar)
                                              : log_colors(map, wanted, bar);
}

double color_bar_width(const PlotContext& context, const ColorBarPlan& plan, const Rect& room) {
  const double line = line_height(context.canvas, label_style(context.style));
  if (room.height < min_lines * line || room.width < 2.0 * min_lines * line) return 0.0;
  const Ticks ticks = bar_ticks(context, plan, bar_rect(context, plan, room));
  const double label = plan.label.empty() ? 0.0 : gap(context.style) + line;
  const double beside = bar_tick_length(context.style) + 0.5 * gap(context.style) +
                        widest_label(context, ticks) + label;
  const double bar = bar_width(context.style) + beside;
  return bar_gap(context.style) +
         (plan.keys.empty() ? bar : std::max(bar, keys_width(context, plan)));
}

void draw_color_bar(PlotContext& context, const ColorBarPlan& plan, const Rect& plot,
                    double width) {
  const Rect bar = bar_rect(context, plan, plot);
  if (width <= 0.0 || bar.height <= 0.0) return;
  const FigureStyle& style = context.style;
  if (plan.classes < 2) context.canvas.image(colormap_image(*plan.map), bar, Filter::linear);
  const double field = bar.height / std::max(1, plan.classes);
  for (int i = 0; plan.classes > 1 && i < plan.classes; ++i)
    context.canvas.rect({bar.x, bar.bottom() - (i + 1) * field, bar.width, field},
                        plan.map->at(static_cast<double>(i) / (plan.classes - 1)));
  const Stroke line{style.axis, hairline(style)};
  draw_outline(context.canvas, bar, line);
  TextStyle text = aligned_text(tick_style(style), VerticalAlign::middle);
  for (const Tick& tick : bar_ticks(context, plan, bar).major) {
    const double end = bar.right() + bar_tick_length(style);
    draw_segment(context.canvas, {bar.right(), tick.at}, {end, tick.at}, line);
    if (!tick.label.empty())
      context.canvas.text({end + 0.5 * gap(style), tick.label_at}, tick.label, text);
  }
  TextStyle label =
      aligned_text(label_style(style), VerticalAlign::bottom, HorizontalAlign::center);
  label.upward = true;
  draw_label(context.canvas, {plot.right() + width, bar.y + 0.5 * bar.height}, plan.label, label,
             bar.height);
  draw_keys(context, plan, bar, plot.bottom());
  context.layout.color_bar = bar;
  context.layout.color = bar_axis(plan, bar);
}

void draw_small_key(PlotContext& context, const ColorBarPlan& plan, const Axes& axes) {
  const FigureStyle& style = context.style;
  TextStyle text = aligned_text(tick_style(style), VerticalAlign::bottom, HorizontalAlign::right);
  const double line = line_height(context.canvas, text), length = 3.2 * style.text_size;
  const double bottom = axes.x_axis.bottom();
  // The axis's own label stands in the middle.
  const double label = label_width(context.canvas, axes.x_label, label_style(style));
  double right = axes.plot.right();
  const double left = axes.plot.x + 0.5 * (axes.plot.width + label) + gap(style);
  const bool words = plan.classes > 1;
  const std::string low = words ? plan.ticks.front().second : short_label(plan.range.min);
  const std::string high = words ? plan.ticks.back().second : short_label(plan.range.max);
  const double low_width = context.canvas.text_size(low, text).width;
  const double high_width = context.canvas.text_size(high, text).width;
  if (right - left < low_width + high_width + length + gap(style)) return;
  context.canvas.text({right, bottom}, high, text);
  right -= high_width + 0.5 * gap(style);
  const auto steps = static_cast<int>(length / 2);
  const double step = length / steps;
  for (int i = 0; i < steps; ++i)
    context.canvas.rect({right - length + i * step, bottom - 0.75 * line, step, 0.5 * line},
                        plan.map->at((i + 0.5) / steps));
  context.canvas.text({right - length - 0.5 * gap(style), bottom}, low, text);
}

}  // namespace orrery
