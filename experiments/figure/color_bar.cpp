#include "experiments/figure/color_bar.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double least_lines = 7.0;  ///< of room each way, below which there is no bar

double bar_width(const FigureStyle& style) { return 1.05 * style.text_size; }
double bar_gap(const FigureStyle& style) { return 0.9 * style.text_size; }
double tick_length(const FigureStyle& style) { return 0.3 * style.small_size; }

double key_height(const Sheet& sheet) {
  return 1.1 * line_height(sheet.canvas, tick_style(sheet.style));
}

double keys_height(const Sheet& sheet, const ColorBarPlan& plan) {
  if (plan.keys.empty()) return 0.0;
  return static_cast<double>(plan.keys.size()) * key_height(sheet) + 1.5 * gap(sheet.style);
}

double keys_width(const Sheet& sheet, const ColorBarPlan& plan) {
  double widest = 0.0;
  for (const ColorKey& key : plan.keys) {
    widest = std::max(widest, sheet.canvas.text_size(key.word, tick_style(sheet.style)).width);
  }
  return bar_width(sheet.style) + gap(sheet.style) + widest;
}

Rect bar_rect(const Sheet& sheet, const ColorBarPlan& plan, const Rect& plot) {
  return {plot.right() + bar_gap(sheet.style), plot.y, bar_width(sheet.style),
          std::max(0.0, plot.height - keys_height(sheet, plan))};
}

AxisMap bar_axis(const ColorBarPlan& plan, const Rect& bar) {
  return {AxisScale::linear, 1.0, plan.range, bar.bottom(), bar.y};
}

Ticks bar_ticks(const Sheet& sheet, const ColorBarPlan& plan, const Rect& bar) {
  const double line = line_height(sheet.canvas, tick_style(sheet.style));
  TickRoom room;
  room.spacing = 2.6 * line;
  room.gap = 0.3 * line;
  room.bounds = {bar.y - 0.5 * line, bar.bottom() + 0.5 * line};
  room.extent = [line](std::string_view) { return line; };
  const AxisMap axis = bar_axis(plan, bar);
  return plan.meaning == Meaning::cyclic ? choose_angle_ticks(axis, room)
                                         : choose_ticks(axis, room);
}

double widest_label(const Sheet& sheet, const Ticks& ticks) {
  double widest = 0.0;
  for (const Tick& tick : ticks.major) {
    if (tick.label.empty()) continue;
    widest = std::max(widest, sheet.canvas.text_size(tick.label, tick_style(sheet.style)).width);
  }
  return widest;
}

void draw_keys(Sheet& sheet, const ColorBarPlan& plan, const Rect& bar, double bottom) {
  const double row = key_height(sheet);
  TextStyle text = tick_style(sheet.style);
  text.vertical = VerticalAlign::middle;
  double middle = bottom - (static_cast<double>(plan.keys.size()) - 0.5) * row;
  for (const ColorKey& key : plan.keys) {
    sheet.canvas.rect({bar.x, middle - 0.32 * row, bar.width, 0.64 * row}, key.color);
    sheet.canvas.text({bar.right() + gap(sheet.style), middle}, key.word, text);
    middle += row;
  }
}

}  // namespace

double color_bar_width(const Sheet& sheet, const ColorBarPlan& plan, const Rect& room) {
  const double line = line_height(sheet.canvas, label_style(sheet.style));
  if (room.height < least_lines * line || room.width < 2.0 * least_lines * line) return 0.0;
  const Ticks ticks = bar_ticks(sheet, plan, bar_rect(sheet, plan, room));
  const double label = plan.label.empty() ? 0.0 : gap(sheet.style) + line;
  const double beside =
      tick_length(sheet.style) + 0.5 * gap(sheet.style) + widest_label(sheet, ticks) + label;
  const double bar = bar_width(sheet.style) + beside;
  return bar_gap(sheet.style) + (plan.keys.empty() ? bar : std::max(bar, keys_width(sheet, plan)));
}

void draw_color_bar(Sheet& sheet, const ColorBarPlan& plan, const Rect& plot, double width) {
  const Rect bar = bar_rect(sheet, plan, plot);
  if (width <= 0.0 || bar.height <= 0.0) return;
  const FigureStyle& style = sheet.style;
  sheet.canvas.image(colormap_image(*plan.map), bar, Filter::linear);
  const Stroke line{style.axis, hairline(style)};
  draw_frame_of(sheet.canvas, bar, line);
  TextStyle text = tick_style(style);
  text.vertical = VerticalAlign::middle;
  for (const Tick& tick : bar_ticks(sheet, plan, bar).major) {
    const double end = bar.right() + tick_length(style);
    draw_segment(sheet.canvas, {bar.right(), tick.at}, {end, tick.at}, line);
    if (!tick.label.empty()) {
      sheet.canvas.text({end + 0.5 * gap(style), tick.label_at}, tick.label, text);
    }
  }
  TextStyle label = label_style(style);
  label.horizontal = HorizontalAlign::center;
  label.vertical = VerticalAlign::bottom;
  label.upward = true;
  draw_label(sheet.canvas, {plot.right() + width, bar.y + 0.5 * bar.height}, plan.label, label,
             bar.height);
  draw_keys(sheet, plan, bar, plot.bottom());
  sheet.frame.color_bar = bar;
  sheet.frame.color = bar_axis(plan, bar);
}

}  // namespace orrery
