#include "app/views/readout_tip.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"
#include "app/views/axis_roles.h"
#include "app/views/value_box.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

// A tip takes at most this part of the window's height.
constexpr double max_tip_height = 0.7;

/// As many curves as can be read one by one.
std::size_t most_lines() {
  const double line = static_cast<double>(ImGui::GetTextLineHeightWithSpacing());
  const double room = max_tip_height * static_cast<double>(ImGui::GetIO().DisplaySize.y);
  return static_cast<std::size_t>(std::max(4.0, std::floor(room / std::max(line, 1.0))));
}

/// A swatch that keeps the lines of a tip aligned.
void swatch(const Ui& ui, Color color) {
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + line / 2, at.y + line / 2), ui.px(4),
                                              shim::packed(color));
  ImGui::Dummy(ImVec2(line, line));
  ImGui::SameLine(0, ui.px(4));
}

void value_column(const std::string& value) {
  ImGui::TableNextColumn();
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(value.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  draw_text(value);
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

/// "query m = 17", or "query m = 16 … 19" for a cell of several tokens.
std::string place(const Axis& axis, std::size_t index, std::size_t count,
                  const std::string& label) {
  const double middle = position_of(axis, index, count);
  std::string at = fmt::format("{} = {:.10g}", axis_name(axis), middle);
  if (axis.scale != AxisScale::linear)  // a column of several distances, or a part of one
    at = fmt::format("{} ≈ {}", axis_name(axis),
                     axis.role == AxisRole::relative_distance
                         ? grouped_number(distance_at(axis, index, count))
                         : readout_number(middle, 3));
  const double width = position_of(axis, index + 1, count) - middle;
  if (axis.whole && width > 1) {
    const double last = std::min(middle + (width - 1) / 2, axis.whole->max - 0.5);
    at = fmt::format("{} = {:.10g} … {:.10g}", axis_name(axis), middle - (width - 1) / 2, last);
  }
  return label.empty() ? at : fmt::format("{}  “{}”", at, as_marked(label));
}

/// "m − n = 3 tokens".
std::string difference_text(const Heatmap& map, double distance) {
  return fmt::format("{} − {} = {}", short_name(map.y), short_name(map.x),
                     with_unit(readout_number(distance), map.x.unit));
}

/// A frame around the cell: outside of it, so that even a cell of one pixel keeps its colour.
void outline(Canvas& canvas, const Rect& c, const Rect& plot, const Ui& ui) {
  const double line = std::round(ui.scale * 1.5);
  canvas.push_clip(plot);
  canvas.rect({c.x - line, c.y - line, c.width + 2 * line, line}, ui.style.accent);
  canvas.rect({c.x - line, c.bottom(), c.width + 2 * line, line}, ui.style.accent);
  canvas.rect({c.x - line, c.y, line, c.height}, ui.style.accent);
  canvas.rect({c.right(), c.y, line, c.height}, ui.style.accent);
  canvas.pop_clip();
}

/// A small arrow at the left of the colour bar, at the value's colour.
void point_at_color(Canvas& canvas, double value, const FigureLayout& frame, const Ui& ui) {
  if (frame.color_bar.width <= 0 || !std::isfinite(value)) return;
  const Rect& bar = frame.color_bar;
  const double y = std::clamp(frame.color.to_canvas(value), bar.y, bar.bottom());
  const double side = 5 * ui.scale;
  const Point arrow[] = {{bar.x - side, y - side}, {bar.x, y}, {bar.x - side, y + side}};
  canvas.fill(arrow, ui.style.text);
}

/// Curves can be followed beneath it.
void begin_readout() {
  constexpr float opacity = 0.86f;
  ImGui::SetNextWindowBgAlpha(opacity);
  shim::begin_tooltip();
}

}  // namespace

void draw_line_readout(Canvas& canvas, const LinePlot& plot, const LineReadout& readout,
                       const FigureLayout& frame, const Ui& ui) {
  const Point line[] = {{readout.at_x, frame.plot.y}, {readout.at_x, frame.plot.bottom()}};
  canvas.push_clip(frame.plot);
  canvas.line_strip(line, {.color = with_alpha(ui.style.text, 0.35), .width = ui.scale});
  for (const LineReadout::Entry& entry : readout.entries)
    if (shim::is_finite(entry.at)) draw_mark(canvas, entry.at, entry_color(ui.style, entry), ui);
  canvas.pop_clip();
  begin_readout();
  rich_muted(ui, fmt::format("{} = {}", axis_name(plot.x),
                             with_unit(readout_number(readout.x), plot.x.unit)));
  const std::size_t shown = std::min(readout.entries.size(), most_lines());
  if (ImGui::BeginTable("values", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (std::size_t i = 0; i < shown; ++i) {
      const LineReadout::Entry& entry = readout.entries[i];
      ImGui::TableNextColumn();
      swatch(ui, entry_color(ui.style, entry));
      draw_rich_text(ui, entry.name);
      value_column(entry_text(entry, readout.x));
    }
    ImGui::EndTable();
  }
  if (readout.entries.size() > shown)
    text_muted(fmt::format("and {} more", readout.entries.size() - shown));
  shim::end_tooltip();
}

void draw_cell_readout(Canvas& canvas, const Heatmap& map, const CellReadout& readout,
                       const std::vector<CellTerm>& terms, const FigureLayout& frame,
                       const Ui& ui) {
  outline(canvas, readout.cell, frame.plot, ui);
  if (!readout.masked) point_at_color(canvas, readout.value, frame, ui);
  begin_readout();
  const std::vector<std::size_t>& shape = map.values->shape;
  rich_muted(ui, place(map.y, readout.row, shape.at(0), readout.row_label));
  rich_muted(ui, place(map.x, readout.column, shape.at(1), readout.column_label));
  if (is_query_by_key(map))
    rich_muted(ui, difference_text(map, distance_of(map, {readout.row, readout.column})));
  if (ImGui::BeginTable("values", 2, ImGuiTableFlags_SizingFixedFit)) {
    const std::string name = map.quantity.empty() ? map.symbol : map.quantity;
    ImGui::TableNextColumn();
    draw_rich_text(ui, name.empty() ? "value" : name);
    value_column(readout.masked ? "masked" : readout_number(readout.value));
    for (const CellTerm& term : terms) {
      ImGui::TableNextColumn();
      rich_muted(ui, term.name);
      value_column(readout_number(term.value));
    }
    ImGui::EndTable();
  }
  shim::end_tooltip();
}

void draw_arrow_readout(Canvas& canvas, const VectorPlot& plot, std::size_t arrow,
                        const FigureLayout& frame, const Ui& ui) {
  const Arrow& a = plot.arrows[arrow];
  canvas.push_clip(frame.plot);
  draw_mark(canvas, {frame.x.to_canvas(a.x1), frame.y.to_canvas(a.y1)}, ui.style.accent, ui);
  canvas.pop_clip();
  begin_readout();
  rich_muted(ui, fmt::format("{} = {}", plot.quantity.empty() ? "value" : plot.quantity,
                             readout_number(a.value)));
  if (ImGui::BeginTable("values", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const auto& [axis, value] : {std::pair{&plot.x, a.x1}, std::pair{&plot.y, a.y1}}) {
      ImGui::TableNextColumn();
      draw_rich_text(ui, axis_name(*axis));
      value_column(readout_number(value));
    }
    ImGui::EndTable();
  }
  shim::end_tooltip();
}

}  // namespace orrery
