#include "app/views/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "app/gui/imgui_shim.h"
#include "app/views/figures.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/curves.h"

namespace orrery {
namespace {

/// A small box of names and values on a plot.
struct ValueBox {
  struct Row {
    std::optional<Color> swatch{};
    std::string name{};
    std::string value{};
  };
  std::string title{};
  std::vector<Row> rows{};
};

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
  draw_around(canvas, box, std::max(1.0, std::round(ui.scale)),
              mix(ui.style.background, ui.style.text, 0.25));
  canvas.rect(box, with_alpha(mix(ui.style.background, ui.style.text, 0.05), opacity));
}

// A box takes at most this share of the plot's height.
constexpr double max_note_height = 0.8;
constexpr double note_gap = 8;

std::optional<std::size_t> nearest_line(std::span<const double> values, const FigureLayout& frame,
                                        Point cursor, double reach) {
  if (!frame.plot.contains(cursor)) return std::nullopt;
  return nearest_of(0, values.size(), reach, [&](std::size_t i) {
    return std::abs(frame.x.to_canvas(values[i]) - cursor.x);
  });
}

std::string x_text(const Axis& axis, std::string_view name, double x) {
  const std::string unit = axis.unit.empty() ? "" : " " + axis.unit;
  return fmt::format("{} = {}{}", name, readout_number(x), unit);
}

ValueBox note_of(const LinePlot& plot, const LineReadout& readout, const Ui& ui) {
  ValueBox note{.title = x_text(plot.x, short_name(plot.x), readout.x)};
  for (const LineReadout::Entry& entry : readout.entries)
    note.rows.push_back({entry_color(ui.style, entry), entry.name, entry_text(entry, readout.x)});
  return note;
}

/// A note and the line that it belongs to.
struct PlacedNote {
  ValueBox note{};
  double at_x{};
};
using Notes = std::vector<PlacedNote>;

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

/// Draws the note with its top left corner at a point.
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

/// The note cut to a height; its last row counts the rows left out.
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

/// Where a box beside the vertical line at `x` covers none of `taken`: right or left of it, else
/// beside what is drawn there, as far up as there is a place; else at the top.
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

/// Draws each note beside its line where it covers no other one, and after all lines, so that none
/// runs through it.
void draw_notes(Canvas& canvas, const Notes& notes, const FigureLayout& frame,
                std::vector<Rect> taken, const Ui& ui) {
  for (const auto& [note, at_x] : notes) {
    const ValueBox shown = shortened_box(canvas, note, max_note_height * frame.plot.height, ui);
    const Size size = value_box_size(canvas, shown, ui);
    const Rect box = place_beside(at_x, size, frame.plot, taken, note_gap * ui.scale);
    draw_value_box(canvas, shown, {box.x, box.y}, ui);
    taken.push_back(box);
  }
}

void draw_pin(Canvas& canvas, const LinePlot& plot, const FigureLayout& frame,
              const FigureView& view, double x, Notes& notes, const Ui& ui) {
  const auto readout = read_lines_at(plot, frame, view, x);
  if (!readout || !is_on_plot(readout->at_x, frame)) return;
  draw_upright(canvas, readout->at_x, frame,
               {with_alpha(ui.style.text, 0.55), ui.scale, Dash::solid});
  draw_dots(canvas, *readout, ui);
  notes.push_back({note_of(plot, *readout, ui), readout->at_x});
}

/// The letter of a cursor on a small flag at the foot of its line.
void draw_flag(Canvas& canvas, double at_x, std::string_view letter, const FigureLayout& frame,
               const Ui& ui) {
  const TextStyle style{.size = ui.style.small_size,
                        .color = ui.style.background,
                        .bold = true,
                        .horizontal = HorizontalAlign::center,
                        .vertical = VerticalAlign::middle};
  const double side = canvas.text_size(letter, style).height * 1.1;
  const Rect flag{at_x - side / 2, frame.plot.bottom() - side, side, side};
  canvas.rect(flag, ui.style.accent);
  canvas.text({at_x, flag.y + side / 2}, letter, style);
}

ValueBox note_of(const LinePlot& plot, const DeltaReadout& delta, const Ui& ui) {
  const std::string unit = plot.x.unit.empty() ? "" : " " + plot.x.unit;
  const auto x = [&](double value) { return readout_number(value) + unit; };
  ValueBox note{.title = "B − A"};
  note.rows.push_back({.name = "A", .value = x(delta.a.x)});
  note.rows.push_back({.name = "B", .value = x(delta.b.x)});
  note.rows.push_back(
      {.name = fmt::format("$Δ$({})", short_name(plot.x)), .value = x(delta.b.x - delta.a.x)});
  for (const DeltaReadout::Entry& entry : delta.entries)
    note.rows.push_back(
        {entry_color(ui.style, entry), "$Δ$ " + entry.name, readout_number(entry.b - entry.a)});
  return note;
}

void draw_cursors(Canvas& canvas, const LinePlot& plot, const FigureLayout& frame,
                  const FigureView& view, const FigureMarks& marks, Notes& notes, const Ui& ui) {
  const auto delta = read_delta(plot, frame, view, marks);
  if (!delta) return;
  const Stroke stroke{ui.style.accent, std::max(1.0, 1.5 * ui.scale), Dash::dashed};
  for (const LineReadout* readout : {&delta->a, &delta->b}) {
    if (!is_on_plot(readout->at_x, frame)) continue;
    draw_upright(canvas, readout->at_x, frame, stroke);
    draw_dots(canvas, *readout, ui);
    draw_flag(canvas, readout->at_x, readout == &delta->a ? "A" : "B", frame, ui);
  }
  const double right =
      std::clamp(std::max(delta->a.at_x, delta->b.at_x), frame.plot.x, frame.plot.right());
  notes.push_back({note_of(plot, *delta, ui), right});
}

/// The names of curves.
std::vector<Rect> name_boxes(const FigureLayout& frame) {
  std::vector<Rect> boxes;
  for (const FigureLayout::LegendEntry& entry : frame.legend) boxes.push_back(entry.box);
  for (const FigureLayout::LegendEntry& entry : frame.ghost_names) boxes.push_back(entry.box);
  return boxes;
}

}  // namespace

bool is_on_plot(double at_x, const FigureLayout& frame) {
  return at_x >= frame.plot.x && at_x <= frame.plot.right();
}

void draw_upright(Canvas& canvas, double at_x, const FigureLayout& frame, const Stroke& stroke) {
  const Point line[] = {{at_x, frame.plot.y}, {at_x, frame.plot.bottom()}};
  canvas.line_strip(line, stroke);
}

void draw_dots(Canvas& canvas, const LineReadout& readout, const Ui& ui) {
  for (const LineReadout::Entry& entry : readout.entries)
    if (shim::is_finite(entry.at)) draw_mark(canvas, entry.at, entry_color(ui.style, entry), ui);
}

void draw_around(Canvas& canvas, const Rect& r, double width, Color color) {
  canvas.rect({r.x - width, r.y - width, r.width + 2 * width, width}, color);
  canvas.rect({r.x - width, r.bottom(), r.width + 2 * width, width}, color);
  canvas.rect({r.x - width, r.y, width, r.height}, color);
  canvas.rect({r.right(), r.y, width, r.height}, color);
}

Color curve_color(const FigureStyle& style, int slot, const std::optional<double>& shade) {
  if (slot == ghost_slot) return style.ghost;
  if (shade) return series_color(style, {.shade = shade});
  const std::vector<Color>& palette = style.palette;
  return palette.empty() ? style.text : palette[static_cast<std::size_t>(slot) % palette.size()];
}

void draw_mark(Canvas& canvas, Point at, Color color, const Ui& ui) {
  fill_circle(canvas, at, 5 * ui.scale, ui.style.plot_background);
  fill_circle(canvas, at, 3.5 * ui.scale, color);
}

std::optional<std::size_t> pin_at(const FigureMarks& marks, const FigureLayout& frame, Point cursor,
                                  double reach) {
  return nearest_line(marks.pins, frame, cursor, reach);
}

std::optional<std::size_t> cursor_at(const FigureMarks& marks, const FigureLayout& frame,
                                     Point cursor, double reach) {
  if (!marks.cursors) return std::nullopt;
  return nearest_line(*marks.cursors, frame, cursor, reach);
}

void add_pin(FigureMarks& marks, double x) {
  if (std::find(marks.pins.begin(), marks.pins.end(), x) == marks.pins.end())
    marks.pins.push_back(x);
}

void toggle_cursors(FigureMarks& marks, const LinePlot& plot, const FigureLayout& frame,
                    const FigureView& view) {
  if (marks.cursors) return marks.cursors.reset();
  const auto at = [&](double part) {
    return read_lines_at(plot, frame, view,
                         frame.x.to_data(frame.plot.x + part * frame.plot.width));
  };
  const auto a = at(1.0 / 3), b = at(2.0 / 3);
  if (a && b) marks.cursors = {a->x, b->x};
}

std::optional<DeltaReadout> read_delta(const LinePlot& plot, const FigureLayout& frame,
                                       const FigureView& view, const FigureMarks& marks) {
  if (!marks.cursors) return std::nullopt;
  const auto a = read_lines_at(plot, frame, view, (*marks.cursors)[0]);
  const auto b = read_lines_at(plot, frame, view, (*marks.cursors)[1]);
  if (!a || !b) return std::nullopt;
  DeltaReadout delta{.a = *a, .b = *b};
  for (const LineReadout::Entry& first : a->entries)
    for (const LineReadout::Entry& second : b->entries)
      if (first.name == second.name)
        delta.entries.push_back({first.name, first.color, first.shade, first.value, second.value});
  return delta;
}

void draw_marks(Canvas& canvas, const LinePlot& plot, const FigureLayout& frame,
                const FigureView& view, const FigureMarks& marks, const Ui& ui) {
  Notes notes;
  canvas.push_clip(frame.plot);
  for (const double x : marks.pins) draw_pin(canvas, plot, frame, view, x, notes, ui);
  draw_cursors(canvas, plot, frame, view, marks, notes, ui);
  draw_notes(canvas, notes, frame, name_boxes(frame), ui);
  canvas.pop_clip();
}

}  // namespace orrery
