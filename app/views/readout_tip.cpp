#include "app/views/readout_tip.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "app/imgui_shim.h"
#include "app/theme.h"

namespace orrery {
namespace {

// More curves than this are not read one by one.
constexpr std::size_t kMostEntries = 16;

Color palette_color(const Ui& ui, int slot) {
  const std::vector<Color>& palette = ui.style.palette;
  return palette.empty() ? ui.style.text : palette[static_cast<std::size_t>(slot) % palette.size()];
}

void draw_dot(Canvas& canvas, Point at, double radius, Color color) {
  std::vector<Point> circle;
  for (int i = 0; i < 16; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 16.0;
    circle.push_back({at.x + radius * std::cos(angle), at.y + radius * std::sin(angle)});
  }
  canvas.fill(circle, color);
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
  text(value);
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

std::string place(const Axis& axis, std::size_t index, const std::string& label) {
  const std::string name = axis_name(axis);
  const std::string at = fmt::format("{} = {}", name, index);
  return label.empty() ? at : fmt::format("{}  “{}”", at, label);
}

}  // namespace

void draw_line_readout(Canvas& canvas, const LinePlot& plot, const LineReadout& readout,
                       const FigureFrame& frame, const Ui& ui) {
  const Point line[] = {{readout.at_x, frame.plot.y}, {readout.at_x, frame.plot.bottom()}};
  canvas.push_clip(frame.plot);
  canvas.line_strip(line, {.color = with_alpha(ui.style.text, 0.35), .width = ui.scale});
  for (const LineReadout::Entry& entry : readout.entries) {
    if (!shim::is_finite(entry.at)) continue;
    draw_dot(canvas, entry.at, ui.px(5), ui.style.plot_background);
    draw_dot(canvas, entry.at, ui.px(3.5), palette_color(ui, entry.color));
  }
  canvas.pop_clip();
  ImGui::BeginTooltip();
  text_muted(
      fmt::format("{} = {}", axis_name(plot.x), with_unit(readout_number(readout.x), plot.x.unit)));
  if (ImGui::BeginTable("values", 2, ImGuiTableFlags_SizingFixedFit)) {
    const std::size_t shown = std::min(readout.entries.size(), kMostEntries);
    for (std::size_t i = 0; i < shown; ++i) {
      const LineReadout::Entry& entry = readout.entries[i];
      ImGui::TableNextColumn();
      swatch(ui, palette_color(ui, entry.color));
      text(entry.name);
      value_column(readout_number(entry.value));
    }
    ImGui::EndTable();
  }
  if (readout.entries.size() > kMostEntries)
    text_muted(fmt::format("and {} more", readout.entries.size() - kMostEntries));
  ImGui::EndTooltip();
}

void draw_cell_readout(Canvas& canvas, const Heatmap& map, const CellReadout& readout,
                       const FigureFrame& frame, const Ui& ui) {
  const Rect& c = readout.cell;
  const double line = std::round(ui.scale * 1.5);
  canvas.push_clip(frame.plot);
  // Outside of the cell, so that even a cell of one pixel keeps its colour.
  canvas.rect({c.x - line, c.y - line, c.width + 2 * line, line}, ui.style.accent);
  canvas.rect({c.x - line, c.bottom(), c.width + 2 * line, line}, ui.style.accent);
  canvas.rect({c.x - line, c.y, line, c.height}, ui.style.accent);
  canvas.rect({c.right(), c.y, line, c.height}, ui.style.accent);
  canvas.pop_clip();
  ImGui::BeginTooltip();
  text_muted(place(map.y, readout.row, readout.row_label));
  text_muted(place(map.x, readout.column, readout.column_label));
  const std::string name = map.symbol.empty() ? map.quantity : map.symbol;
  if (readout.masked)
    text("masked");
  else
    text(fmt::format("{} = {}", name, readout_number(readout.value)));
  ImGui::EndTooltip();
}

}  // namespace orrery
