#include "app/views/figure_set.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "app/views/marks.h"
#include "app/views/readout.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/draw_figure.h"
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

/// A word where the map's numbers are classes.
std::string cell_value(const Heatmap& map, double value) {
  const bool is_class = value >= 0 && value < static_cast<double>(map.classes.size());
  return is_class ? map.classes[static_cast<std::size_t>(value)] : readout_number(value);
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

/// Draws a hairline at the cursor with a dot on every curve, and the values of the curves beside it.
void draw_line_readout(Canvas& canvas, const LinePlot& plot, const LineReadout& readout,
                       const FigureLayout& frame, const Ui& ui) {
  canvas.push_clip(frame.plot);
  draw_upright(canvas, readout.at_x, frame,
               {.color = with_alpha(ui.style.text, 0.35), .width = ui.scale});
  draw_dots(canvas, readout, ui);
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

/// The cell outlined and marked on the colour bar, and what it and its terms hold beside the
/// cursor.
void draw_cell_readout(Canvas& canvas, const Heatmap& map, const CellReadout& readout,
                       const std::vector<std::pair<std::string, double>>& terms,
                       const FigureLayout& frame, const Ui& ui) {
  canvas.push_clip(frame.plot);
  draw_around(canvas, readout.cell, std::round(ui.scale * 1.5), ui.style.accent);
  canvas.pop_clip();
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
    value_column(readout.masked ? "masked" : cell_value(map, readout.value));
    for (const auto& [term, number] : terms) {
      ImGui::TableNextColumn();
      rich_muted(ui, term);
      value_column(readout_number(number));
    }
    ImGui::EndTable();
  }
  shim::end_tooltip();
}

/// The tip of an arrow marked, and where it lies.
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

// Nothing can be drawn or pointed at in less.
constexpr double min_side = 8.0;

constexpr ImGuiWindowFlags window_flags =
    ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollbar |
    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground |
    ImGuiWindowFlags_NoSavedSettings;

void draw_zoom_box(Canvas& canvas, const Rect& box, const Ui& ui) {
  canvas.rect(box, with_alpha(ui.style.accent, 0.15));
  draw_outline(canvas, box, {.color = ui.style.accent, .width = ui.scale});
}

/// Draws the line at the mouse at once; the result follows when it is computed.
void draw_dragged_rule(Canvas& canvas, const FigureInput& input, Rule::Direction direction) {
  const Rect& plot = input.frame.plot;
  const Point at = clamped(input.cursor, plot);
  const bool flat = direction == Rule::Direction::horizontal;
  const Point line[] = {{flat ? plot.x : at.x, flat ? at.y : plot.y},
                        {flat ? plot.right() : at.x, flat ? at.y : plot.bottom()}};
  canvas.line_strip(line, {.color = input.ui.style.accent, .width = input.ui.scale});
}

/// Shows that the figure has the keyboard focus.
void draw_focus_ring(Canvas& canvas, const FigureInput& input) {
  const double width = std::max(1.0, std::round(input.ui.scale));
  const Rect& a = input.frame.area;
  draw_outline(canvas, {a.x + width, a.y + width, a.width - 2 * width, a.height - 2 * width},
               {.color = input.ui.style.accent, .width = width});
}

void draw_map_readout(Canvas& canvas, const Heatmap& map, const FigureLayout& frame,
                      const FigureInput& input) {
  const auto readout = read_cell(map, frame, input.cursor);
  if (!readout) return;
  std::vector<std::pair<std::string, double>> terms;
  if (input.reach.result)
    terms =
        read_terms(*input.reach.result, input.figure.role, map, {readout->row, readout->column});
  draw_cell_readout(canvas, map, *readout, terms, frame, input.ui);
}

void draw_part_readout(Canvas& canvas, const MapEquation& equation, const FigureInput& input) {
  const auto part = part_at(equation, input.frame, input.cursor);
  if (!part) return;
  if (!part->is_profile)
    return draw_map_readout(canvas, map_of_part(equation, part->term), part->frame, input);
  const LinePlot plot = profile_of_part(equation, part->term);
  if (const auto readout = read_lines(plot, part->frame, {}, input.cursor))
    draw_line_readout(canvas, plot, *readout, part->frame, input.ui);
}

void draw_readout(Canvas& canvas, const FigureInput& input) {
  const Figure& figure = input.figure;
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    const auto readout = read_lines(*plot, input.frame, input.view, input.cursor);
    const std::vector<double>& pins = input.reach.marks.pins;
    // A pin at this place shows it already.
    if (readout && std::find(pins.begin(), pins.end(), readout->x) == pins.end())
      draw_line_readout(canvas, *plot, *readout, input.frame, input.ui);
  } else if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
    draw_map_readout(canvas, *map, input.frame, input);
  } else if (const auto* equation = std::get_if<MapEquation>(&figure.content)) {
    draw_part_readout(canvas, *equation, input);
  } else if (const auto* vectors = std::get_if<VectorPlot>(&figure.content)) {
    if (const auto arrow =
            read_arrow(*vectors, input.frame, input.cursor, arrow_reach * input.ui.scale))
      draw_arrow_readout(canvas, *vectors, *arrow, input.frame, input.ui);
  }
}

}  // namespace

void FigureWidget::draw(const Figure& figure, const Rect& area, FigureView& view,
                        const FigureReach& reach, const Ui& ui) {
  focus_step_ = 0;
  if (area.width < min_side || area.height < min_side) return;
  reach.links.begin_frame(ImGui::GetFrameCount());
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  ImGui::PushID(figure.id.c_str());
  if (takes_focus_) {
    ImGui::SetNextWindowFocus();
    by_keyboard_ = true;
    takes_focus_ = false;
  }
  // A window of its own can have the keyboard focus, and arrow keys stay in it.
  if (ImGui::BeginChild("figure", shim::vec({area.width, area.height}), false, window_flags))
    draw_inside(figure, area, view, reach, ui);
  ImGui::EndChild();
  ImGui::PopID();
}

void FigureWidget::draw_inside(const Figure& figure, const Rect& area, FigureView& view,
                               const FigureReach& reach, const Ui& ui) {
  ImGui::InvisibleButton("plot", shim::vec({area.width, area.height}),
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered(), activated = ImGui::IsItemActivated();
  has_focus_ = ImGui::IsWindowFocused();
  if (activated) by_keyboard_ = false;
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  canvas.push_clip(area);
  curves_.begin_frame(reach.owner);
  frame_ = draw_figure(canvas, figure, area, ui.style, view, &cache_, &curves_);
  curves_.end_frame();
  const FigureInput input{figure, view, reach, frame_, ui, shim::point(ImGui::GetIO().MousePos),
                          hovered};
  const std::optional<MapOfEquation> map = map_to_move(input);
  const FigureInput moved{map ? map->figure : figure,
                          view,
                          reach,
                          map ? map->frame : frame_,
                          ui,
                          input.cursor,
                          hovered};
  if (activated) gestures_.press(moved);
  gestures_.follow(moved);
  if (has_plot(frame_)) {
    if (hovered) gestures_.hover(moved);
    if (has_focus_) obey(moved, typed_figure_command());
    draw_over(canvas, input, moved);
  }
  canvas.pop_clip();
  menu_open_ = draw_figure_menu(figure, view, reach, frame_, gestures_.menu_position(), ui);
}

/// Of an equation: the map that the mouse holds or points at, and for the keyboard the first where
/// it points at none of its parts.
std::optional<MapOfEquation> FigureWidget::map_to_move(const FigureInput& input) {
  const auto* equation = std::get_if<MapEquation>(&input.figure.content);
  if (!equation) return std::nullopt;
  if (!gestures_.is_held()) {
    const auto part = part_at(*equation, frame_, input.cursor);
    held_map_ = part && !part->is_profile ? std::optional(part->term)
                : input.hovered           ? std::nullopt
                                          : std::optional<std::size_t>(0);
  }
  return held_map_ ? map_in_equation(input.figure, frame_, *held_map_) : std::nullopt;
}

void FigureWidget::obey(const FigureInput& input, FigureCommand command) {
  if (command == FigureCommand::next) focus_step_ = 1;
  if (command == FigureCommand::previous) focus_step_ = -1;
  gestures_.obey(input, command);
}

void FigureWidget::draw_over(Canvas& canvas, const FigureInput& input,
                             const FigureInput& moved) const {
  draw_links(canvas, input);
  if (const auto* plot = std::get_if<LinePlot>(&input.figure.content))
    draw_marks(canvas, *plot, frame_, input.view, input.reach.marks, input.ui);
  if (const std::optional<Rect> box = gestures_.box(moved)) draw_zoom_box(canvas, *box, input.ui);
  if (const auto direction = gestures_.dragged_rule()) draw_dragged_rule(canvas, input, *direction);
  if (input.hovered && gestures_.is_resting() && !menu_open_) draw_readout(canvas, input);
  if (has_focus_ && by_keyboard_) draw_focus_ring(canvas, input);
}

void FigureWidget::draw_links(Canvas& canvas, const FigureInput& input) const {
  LinkedCursor& links = input.reach.links;
  const std::vector<double>& pins = input.reach.marks.pins;
  const bool pinned =
      links.distance() && std::find(pins.begin(), pins.end(), *links.distance()) != pins.end();
  // In an equation the other maps and profiles show the distance too.
  const bool whole = !std::holds_alternative<MapEquation>(input.figure.content);
  const bool here = pinned || (whole && links.points_from(input.figure.id));
  if (links.distance() && !here)
    draw_linked_distance(canvas, input.figure, frame_, input.view, *links.distance(), input.ui);
  if (links.pair() && !links.points_from(input.figure.id))
    draw_linked_pair(canvas, input.figure, frame_, input.view, *links.pair(), input.ui);
  if (!input.hovered || menu_open_) return;
  links.point({pointed_distance(input.figure, frame_, input.view, input.cursor),
               pointed_pair(input.figure, frame_, input.view, input.cursor, input.ui),
               input.figure.id});
}

}  // namespace orrery
