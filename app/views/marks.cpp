#include "app/views/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"
#include "app/views/axis_roles.h"
#include "app/views/value_box.h"

namespace orrery {
namespace {

// A box takes at most this share of the plot's height.
constexpr double max_note_height = 0.8;
constexpr double note_gap = 8;

std::optional<std::size_t> nearest_line(std::span<const double> values, const FigureLayout& frame,
                                        Point cursor, double reach) {
  if (!frame.plot.contains(cursor)) return std::nullopt;
  std::optional<std::size_t> nearest;
  double least = reach;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = std::abs(frame.x.to_canvas(values[i]) - cursor.x);
    if (!(distance < least)) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

std::string x_text(const Axis& axis, std::string_view name, double x) {
  const std::string unit = axis.unit.empty() ? "" : " " + axis.unit;
  return fmt::format("{} = {}{}", name, readout_number(x), unit);
}

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
