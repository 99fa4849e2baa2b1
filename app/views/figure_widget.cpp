#include "app/views/figure_widget.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"
#include "app/views/equation_parts.h"
#include "app/views/link_marks.h"
#include "app/views/marks.h"
#include "app/views/readout.h"
#include "app/views/readout_tip.h"
#include "experiments/figure/plot/draw_figure.h"
#include "experiments/figure/plot/plot_context.h"

namespace orrery {
namespace {

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
  std::vector<CellTerm> terms;
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
