#include "app/views/value_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/gui/theme.h"
#include "app/views/readout.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/curves.h"

namespace orrery {
namespace {

constexpr double note_padding = 7;
constexpr double column_gap = 12;
constexpr double swatch_size = 13;

TextStyle name_style(const Ui& ui) {
  return {.size = ui.style.small_size, .color = ui.style.text, .vertical = VerticalAlign::top};
}

double line_of(const Canvas& canvas, const Ui& ui) {
  return canvas.text_size("Ag", name_style(ui)).height * 1.15;
}

double swatch_width(const ValueBox& note, const Ui& ui) {
  const bool any = std::any_of(note.rows.begin(), note.rows.end(),
                               [](const ValueBox::Row& row) { return row.swatch.has_value(); });
  return any ? swatch_size * ui.scale : 0.0;
}

void fill_circle(Canvas& canvas, Point at, double radius, Color color) {
  std::array<Point, 16> circle;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(circle.size());
    circle[i] = {at.x + radius * std::cos(angle), at.y + radius * std::sin(angle)};
  }
  canvas.fill(circle, color);
}

/// The first free height for a box with its left edge at x; empty when there is none.
std::optional<Rect> first_free(double x, Size size, const Rect& plot, std::span<const Rect> taken,
                               double gap) {
  if (x < plot.x || x + size.width > plot.right()) return std::nullopt;
  Rect box{x, plot.y + gap, size.width, size.height};
  bool moved = true;
  while (moved && box.bottom() <= plot.bottom()) {
    moved = false;
    for (const Rect& other : taken) {
      if (!overlap(box, other)) continue;
      box.y = other.bottom() + gap;
      moved = true;
    }
  }
  return box.bottom() <= plot.bottom() ? std::optional(box) : std::nullopt;
}

/// Translucent, so that curves can be followed beneath it.
void draw_see_through_box(Canvas& canvas, const Rect& box, const Ui& ui) {
  constexpr double opacity = 0.86;
  const double hair = std::max(1.0, std::round(ui.scale));
  const Color frame = mix(ui.style.background, ui.style.text, 0.25);
  canvas.rect({box.x - hair, box.y - hair, box.width + 2 * hair, hair}, frame);
  canvas.rect({box.x - hair, box.bottom(), box.width + 2 * hair, hair}, frame);
  canvas.rect({box.x - hair, box.y, hair, box.height}, frame);
  canvas.rect({box.right(), box.y, hair, box.height}, frame);
  canvas.rect(box, with_alpha(mix(ui.style.background, ui.style.text, 0.05), opacity));
}

}  // namespace

Color palette_color(const FigureStyle& style, int slot) {
  if (slot == ghost_slot) return style.ghost;
  const std::vector<Color>& palette = style.palette;
  return palette.empty() ? style.text : palette[static_cast<std::size_t>(slot) % palette.size()];
}

Color curve_color(const FigureStyle& style, int slot, const std::optional<double>& shade) {
  if (slot == ghost_slot || !shade) return palette_color(style, slot);
  return series_color(style, {.shade = shade});
}

void draw_mark(Canvas& canvas, Point at, Color color, const Ui& ui) {
  fill_circle(canvas, at, 5 * ui.scale, ui.style.plot_background);
  fill_circle(canvas, at, 3.5 * ui.scale, color);
}

Size value_box_size(const Canvas& canvas, const ValueBox& note, const Ui& ui) {
  const TextStyle style = name_style(ui);
  double names = 0.0, values = 0.0;
  for (const ValueBox::Row& row : note.rows) {
    names = std::max(names, rich_size(canvas, row.name, style).width);
    values = std::max(values, canvas.text_size(row.value, style).width);
  }
  const double between = values > 0.0 ? column_gap * ui.scale : 0.0;
  const double rows = swatch_width(note, ui) + names + between + values;
  const double title = rich_size(canvas, note.title, style).width;
  const double lines = static_cast<double>(note.rows.size() + (note.title.empty() ? 0 : 1));
  return {std::max(rows, title) + 2 * note_padding * ui.scale,
          lines * line_of(canvas, ui) + 2 * note_padding * ui.scale};
}

void draw_value_box(Canvas& canvas, const ValueBox& note, Point corner, const Ui& ui) {
  const Size size = value_box_size(canvas, note, ui);
  const Rect box{std::round(corner.x), std::round(corner.y), size.width, size.height};
  draw_see_through_box(canvas, box, ui);
  TextStyle style = name_style(ui);
  Point at{box.x + note_padding * ui.scale, box.y + note_padding * ui.scale};
  const double line = line_of(canvas, ui), swatch = swatch_width(note, ui);
  if (!note.title.empty()) {
    style.color = ui.style.muted;
    draw_rich(canvas, at, note.title, style);
    at.y += line;
  }
  style.color = ui.style.text;
  for (const ValueBox::Row& row : note.rows) {
    if (row.swatch)
      fill_circle(canvas, {at.x + 4 * ui.scale, at.y + line / 2.3}, 4 * ui.scale, *row.swatch);
    draw_rich(canvas, {at.x + swatch, at.y}, row.name, style);
    TextStyle value = style;
    value.horizontal = HorizontalAlign::right;
    canvas.text({box.right() - note_padding * ui.scale, at.y}, row.value, value);
    at.y += line;
  }
}

ValueBox shortened_box(const Canvas& canvas, ValueBox note, double most_height, const Ui& ui) {
  const double line = line_of(canvas, ui);
  const double room = most_height - value_box_size(canvas, {.title = note.title}, ui).height;
  const auto most = static_cast<std::size_t>(std::max(1.0, std::floor(room / line)));
  if (note.rows.size() <= most) return note;
  const std::size_t left_out = note.rows.size() - (most - 1);
  note.rows.resize(most - 1);
  note.rows.push_back({.name = fmt::format("and {} more", left_out)});
  return note;
}

Rect place_beside(double x, Size size, const Rect& plot, std::span<const Rect> taken, double gap) {
  std::vector<double> lefts{x + gap, x - gap - size.width};
  for (const Rect& other : taken) {
    lefts.push_back(other.right() + gap);
    lefts.push_back(other.x - gap - size.width);
  }
  const auto away = [&](double left) { return std::abs(left + size.width / 2 - x); };
  std::stable_sort(lefts.begin() + 2, lefts.end(),
                   [&](double a, double b) { return away(a) < away(b); });
  for (const double left : lefts)
    if (const auto free = first_free(left, size, plot, taken, gap)) return *free;
  const double left = std::clamp(x + gap, plot.x, std::max(plot.x, plot.right() - size.width));
  return {left, plot.y + gap, size.width, size.height};
}

}  // namespace orrery
