#include "app/views/figure_widget.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/canvas/imgui_canvas.h"
#include "app/imgui_shim.h"
#include "app/theme.h"
#include "app/views/link_marks.h"
#include "app/views/marks.h"
#include "app/views/plot_ranges.h"
#include "app/views/readout_tip.h"

namespace orrery {
namespace {

constexpr double kZoomPerStep = 0.85;
constexpr double kPanPerKey = 0.1;  ///< of the plot's side
// Boxes smaller than this are a trembling hand, and so are drags.
constexpr double kLeastBox = 6.0;
constexpr double kLeastDrag = 3.0;
// A line or an arrow's tip is taken hold of from this near.
constexpr double kGrab = 5.0;
constexpr double kArrowReach = 14.0;
// Nothing can be drawn or aimed at in less.
constexpr double kLeastSide = 8.0;

constexpr ImGuiWindowFlags kWindowFlags =
    ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollbar |
    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground |
    ImGuiWindowFlags_NoSavedSettings;

bool has_plot(const FigureFrame& frame) { return frame.plot.width > 0 && frame.plot.height > 0; }

/// All that a map has to show; a line plot may be moved anywhere.
struct Home {
  std::optional<Range> x{};
  std::optional<Range> y{};
};

Range ordered(double a, double b) { return {std::min(a, b), std::max(a, b)}; }

Home home_of(const Figure& figure, const FigureFrame& frame) {
  const auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || !map->values || map->values->size() == 0) return {};
  const std::vector<std::size_t>& shape = map->values->shape;
  const Rect first = cell_rect(*map, frame, {0, 0});
  const Rect last = cell_rect(*map, frame, {shape.at(0) - 1, shape.at(1) - 1});
  return {ordered(frame.x.to_data(first.x), frame.x.to_data(last.right())),
          ordered(frame.y.to_data(first.y), frame.y.to_data(last.bottom()))};
}

void show(std::optional<Range>& shown, std::optional<Range> wanted,
          const std::optional<Range>& limits) {
  if (!wanted) return;
  if (limits) {
    const bool all = wanted->max - wanted->min >= limits->max - limits->min;
    shown = all ? std::nullopt : std::optional(kept_within(*wanted, *limits));
  } else {
    shown = wanted;
  }
}

Rect spanned(Point a, Point b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
}

Point clamped(Point p, const Rect& r) {
  return {std::clamp(p.x, r.x, r.right()), std::clamp(p.y, r.y, r.bottom())};
}

void hide_all_but(const LinePlot& plot, FigureView& view, const std::string& name) {
  std::set<std::string> others;
  for (const Series& series : plot.series)
    if (series.name != name) others.insert(series.name);
  // A second time brings the others back.
  view.hidden = view.hidden == others ? std::set<std::string>{} : others;
}

/// What the colours of a figure mean; arrows are coloured from low to high.
Meaning meaning_of(const Figure& figure) {
  const auto* map = std::get_if<Heatmap>(&figure.content);
  return map ? map->meaning : Meaning::sequential;
}

void draw_outline(Canvas& canvas, const Rect& r, const Stroke& stroke) {
  const Point corners[] = {
      {r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}, {r.x, r.y}};
  canvas.line_strip(corners, stroke);
}

}  // namespace

void FigureWidget::draw(const Figure& figure, const Rect& area, FigureView& view,
                        const FigureReach& reach, const Ui& ui) {
  focus_step_ = 0;
  if (area.width < kLeastSide || area.height < kLeastSide) return;
  reach.links.begin_frame(ImGui::GetFrameCount());
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  ImGui::PushID(figure.id.c_str());
  if (takes_focus_) ImGui::SetNextWindowFocus();
  if (takes_focus_) by_keyboard_ = true;
  takes_focus_ = false;
  // A window of its own, so that the keyboard can be on it and arrow keys do not leave it.
  if (ImGui::BeginChild("figure", shim::vec({area.width, area.height}), false, kWindowFlags))
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
  const Scene scene{figure, view, reach, ui, canvas, shim::point(ImGui::GetIO().MousePos), hovered};
  if (activated) press(scene);
  react(scene);
  canvas.pop_clip();
  menu_open_ = draw_figure_menu(figure, view, reach, frame_, menu_at_, ui);
}

void FigureWidget::react(const Scene& scene) {
  if (drag_ != Drag::none) follow_drag(scene);
  if (!has_plot(frame_)) return;
  if (scene.hovered) shape_mouse(scene);
  if (scene.hovered) wheel(scene);
  if (scene.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) double_click(scene);
  if (has_focus_) obey(scene, typed_figure_command());
  draw_links(scene);
  if (const auto* plot = std::get_if<LinePlot>(&scene.figure.content))
    draw_marks(scene.canvas, *plot, frame_, scene.view, scene.reach.marks, scene.ui);
  if (drag_ == Drag::box) draw_box(scene);
  if (drag_ == Drag::rule) draw_dragged_rule(scene);
  const bool resting = drag_ == Drag::none || drag_ == Drag::press;
  if (scene.hovered && resting && !menu_open_) read_out(scene);
  if (has_focus_ && by_keyboard_) draw_ring(scene);
}

void FigureWidget::press(const Scene& scene) {
  anchor_ = scene.cursor;
  anchored_ = frame_;
  swallows_release_ = false;
  const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (!left) {
    drag_ = Drag::box;
    return;
  }
  if (click_legend(scene) || press_on_marks(scene)) return;
  grip_ = color_grip_at(frame_, meaning_of(scene.figure), scene.cursor);
  along_x_ = !frame_.y_axis.contains(scene.cursor);
  along_y_ = !frame_.x_axis.contains(scene.cursor);
  const bool on_axis = !along_x_ || !along_y_;
  if (grip_ != ColorGrip::none)
    drag_ = Drag::color;
  else if (frame_.plot.contains(scene.cursor))
    drag_ = Drag::press;
  else if (on_axis)
    drag_ = Drag::pan;
}

/// Takes hold of a cursor or a reference line, or with Ctrl takes a pin away.
bool FigureWidget::press_on_marks(const Scene& scene) {
  FigureMarks& marks = scene.reach.marks;
  const double reach = kGrab * scene.ui.scale;
  if (const auto cursor = cursor_at(marks, frame_, scene.cursor, reach)) {
    grabbed_ = *cursor;
    drag_ = Drag::cursor;
    return true;
  }
  if (is_on_rule(scene)) {
    drag_ = Drag::rule;
    return true;
  }
  const auto pin = pin_at(marks, frame_, scene.cursor, reach);
  if (!pin || !ImGui::GetIO().KeyCtrl) return false;
  marks.pins.erase(marks.pins.begin() + static_cast<std::ptrdiff_t>(*pin));
  scene.reach.links.hold({});
  return true;
}

void FigureWidget::follow_drag(const Scene& scene) {
  const bool right = drag_ == Drag::box;
  if (!ImGui::IsMouseDown(right ? ImGuiMouseButton_Right : ImGuiMouseButton_Left)) {
    release(scene);
    drag_ = Drag::none;
    return;
  }
  const double moved =
      std::max(std::abs(scene.cursor.x - anchor_.x), std::abs(scene.cursor.y - anchor_.y));
  if (drag_ == Drag::press && moved >= kLeastDrag * scene.ui.scale) drag_ = Drag::pan;
  if (drag_ == Drag::pan) follow_pan(scene);
  if (drag_ == Drag::color) {
    const auto color =
        dragged_color(anchored_.color, grip_, meaning_of(scene.figure), anchor_.y, scene.cursor.y);
    if (color && moved > 0.0) scene.view.color = color;
  }
  if (drag_ == Drag::cursor) follow_cursor(scene);
  if (drag_ == Drag::rule && moved > 0.0) follow_rule(scene);
}

void FigureWidget::follow_cursor(const Scene& scene) {
  const auto* plot = std::get_if<LinePlot>(&scene.figure.content);
  if (!plot || !scene.reach.marks.cursors) return;
  const Point at = clamped(scene.cursor, frame_.plot);
  if (const auto here = read_lines_at(*plot, frame_, scene.view, frame_.x.to_data(at.x)))
    (*scene.reach.marks.cursors)[grabbed_] = here->x;
}

void FigureWidget::follow_rule(const Scene& scene) const {
  if (!scene.reach.rule) return;
  const bool flat = scene.reach.rule->direction == Rule::Direction::horizontal;
  const Point at = clamped(scene.cursor, frame_.plot);
  const double value = flat ? frame_.y.to_data(at.y) : frame_.x.to_data(at.x);
  if (std::isfinite(value)) scene.reach.move_rule(value);
}

bool FigureWidget::is_on_rule(const Scene& scene) const {
  if (!scene.reach.rule || !frame_.plot.contains(scene.cursor)) return false;
  const Rule& rule = *scene.reach.rule;
  const bool flat = rule.direction == Rule::Direction::horizontal;
  const double off = flat ? frame_.y.to_canvas(rule.at) - scene.cursor.y
                          : frame_.x.to_canvas(rule.at) - scene.cursor.x;
  return std::abs(off) < kGrab * scene.ui.scale;
}

/// Says by the mouse's shape what can be taken hold of.
void FigureWidget::shape_mouse(const Scene& scene) const {
  const double reach = kGrab * scene.ui.scale;
  const bool on_rule = drag_ == Drag::rule || (drag_ == Drag::none && is_on_rule(scene));
  const bool flat =
      on_rule && scene.reach.rule && scene.reach.rule->direction == Rule::Direction::horizontal;
  const bool on_color =
      color_grip_at(frame_, meaning_of(scene.figure), scene.cursor) != ColorGrip::none;
  if (flat || on_color || drag_ == Drag::color)
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  else if (on_rule || drag_ == Drag::cursor ||
           cursor_at(scene.reach.marks, frame_, scene.cursor, reach))
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
}

void FigureWidget::follow_pan(const Scene& scene) {
  const Home home = home_of(scene.figure, anchored_);
  const double x = scene.cursor.x - anchor_.x, y = scene.cursor.y - anchor_.y;
  if (along_x_ && x != 0.0) show(scene.view.x, panned(anchored_.x, x), home.x);
  if (along_y_ && y != 0.0) show(scene.view.y, panned(anchored_.y, y), home.y);
}

void FigureWidget::release(const Scene& scene) {
  if (drag_ == Drag::press && !swallows_release_) click(scene);
  if (drag_ == Drag::box) finish_box(scene);
}

/// Pins what is read out; on a map, holds its distance or lets go of it.
void FigureWidget::click(const Scene& scene) {
  LinkState& links = scene.reach.links;
  const auto distance = pointed_distance(scene.figure, frame_, scene.view, anchor_);
  clicked_.reset();
  if (const auto* plot = std::get_if<LinePlot>(&scene.figure.content)) {
    const auto here = read_lines(*plot, frame_, scene.view, anchor_);
    if (!here) return;
    const std::size_t before = scene.reach.marks.pins.size();
    add_pin(scene.reach.marks, here->x);
    if (scene.reach.marks.pins.size() > before) clicked_ = here->x;
    if (distance) links.hold(distance);
  } else if (distance) {
    links.hold(links.held() == distance ? std::nullopt : distance);
  }
}

void FigureWidget::double_click(const Scene& scene) {
  std::vector<double>& pins = scene.reach.marks.pins;
  if (clicked_) std::erase(pins, *clicked_);
  if (clicked_ || std::holds_alternative<Heatmap>(scene.figure.content)) scene.reach.links.hold({});
  clicked_.reset();
  swallows_release_ = true;
  fit(scene);
}

void FigureWidget::finish_box(const Scene& scene) {
  const Rect box = spanned(anchor_, clamped(scene.cursor, anchored_.plot));
  const bool in_plot = has_plot(anchored_) && anchored_.plot.contains(anchor_);
  const bool is_box = in_plot && box.width >= kLeastBox && box.height >= kLeastBox;
  if (!is_box) {
    const Rect moved = spanned(anchor_, scene.cursor);
    if (std::max(moved.width, moved.height) >= kLeastBox) return;
    open_menu(anchor_);
    return;
  }
  const Home home = home_of(scene.figure, anchored_);
  show(scene.view.x, between_pixels(anchored_.x, box.x, box.right()), home.x);
  show(scene.view.y, between_pixels(anchored_.y, box.y, box.bottom()), home.y);
}

void FigureWidget::open_menu(Point at) {
  menu_at_ = at;
  ImGui::OpenPopup(kFigureMenu);
}

void FigureWidget::zoom(const Scene& scene, Point about, double factor, bool x, bool y) const {
  const Home home = home_of(scene.figure, frame_);
  if (x) show(scene.view.x, zoomed(frame_.x, about.x, factor), home.x);
  if (y) show(scene.view.y, zoomed(frame_.y, about.y, factor), home.y);
}

void FigureWidget::wheel(const Scene& scene) const {
  const double steps = static_cast<double>(ImGui::GetIO().MouseWheel);
  if (steps == 0.0) return;
  const double factor = std::pow(kZoomPerStep, steps);
  const bool in_plot = frame_.plot.contains(scene.cursor);
  if (frame_.color_bar.contains(scene.cursor)) {
    const auto color = zoomed_color(frame_.color, meaning_of(scene.figure), scene.cursor.y, factor);
    if (color) scene.view.color = color;
    return;
  }
  zoom(scene, scene.cursor, factor, in_plot || frame_.x_axis.contains(scene.cursor),
       in_plot || frame_.y_axis.contains(scene.cursor));
}

void FigureWidget::fit(const Scene& scene) const {
  const bool in_plot = frame_.plot.contains(scene.cursor);
  if (in_plot || frame_.x_axis.contains(scene.cursor)) scene.view.x.reset();
  if (in_plot || frame_.y_axis.contains(scene.cursor)) scene.view.y.reset();
  if (frame_.color_bar.contains(scene.cursor)) scene.view.color.reset();
}

void FigureWidget::pan_by_key(const Scene& scene, double x, double y) const {
  const Home home = home_of(scene.figure, frame_);
  const double dx = x * kPanPerKey * frame_.plot.width, dy = y * kPanPerKey * frame_.plot.height;
  if (dx != 0.0) show(scene.view.x, panned(frame_.x, dx), home.x);
  if (dy != 0.0) show(scene.view.y, panned(frame_.y, dy), home.y);
}

void FigureWidget::obey(const Scene& scene, FigureCommand command) {
  const auto* plot = std::get_if<LinePlot>(&scene.figure.content);
  const Point middle{frame_.plot.x + frame_.plot.width / 2, frame_.plot.y + frame_.plot.height / 2};
  const Point about = scene.hovered && frame_.plot.contains(scene.cursor) ? scene.cursor : middle;
  switch (command) {
    case FigureCommand::none:
      return;
    case FigureCommand::left:
      return pan_by_key(scene, 1, 0);
    case FigureCommand::right:
      return pan_by_key(scene, -1, 0);
    case FigureCommand::up:
      return pan_by_key(scene, 0, 1);
    case FigureCommand::down:
      return pan_by_key(scene, 0, -1);
    case FigureCommand::zoom_in:
      return zoom(scene, about, kZoomPerStep, true, true);
    case FigureCommand::zoom_out:
      return zoom(scene, about, 1.0 / kZoomPerStep, true, true);
    case FigureCommand::fit:
      scene.view.x.reset();
      scene.view.y.reset();
      return;
    case FigureCommand::cursors:
      if (plot) toggle_cursors(scene.reach.marks, *plot, frame_, scene.view);
      return;
    case FigureCommand::menu:
      open_menu(about);
      return;
    case FigureCommand::clear:
      scene.reach.marks = {};
      scene.reach.links.hold({});
      return;
    case FigureCommand::next:
      focus_step_ = 1;
      return;
    case FigureCommand::previous:
      focus_step_ = -1;
      return;
  }
}

bool FigureWidget::click_legend(const Scene& scene) const {
  const auto* plot = std::get_if<LinePlot>(&scene.figure.content);
  if (!plot) return false;
  for (const FigureFrame::LegendEntry& entry : frame_.legend) {
    if (!entry.box.contains(scene.cursor)) continue;
    if (ImGui::GetIO().KeyCtrl)
      hide_all_but(*plot, scene.view, entry.series);
    else if (scene.view.hidden.erase(entry.series) == 0)
      scene.view.hidden.insert(entry.series);
    return true;
  }
  return false;
}

void FigureWidget::draw_box(const Scene& scene) const {
  if (!anchored_.plot.contains(anchor_)) return;
  const Rect box = spanned(anchor_, clamped(scene.cursor, frame_.plot));
  scene.canvas.rect(box, with_alpha(scene.ui.style.accent, 0.15));
  draw_outline(scene.canvas, box, {.color = scene.ui.style.accent, .width = scene.ui.scale});
}

/// The line is with the mouse at once; the result follows when it is computed.
void FigureWidget::draw_dragged_rule(const Scene& scene) const {
  if (!scene.reach.rule) return;
  const Point at = clamped(scene.cursor, frame_.plot);
  const bool flat = scene.reach.rule->direction == Rule::Direction::horizontal;
  const Point line[] = {{flat ? frame_.plot.x : at.x, flat ? at.y : frame_.plot.y},
                        {flat ? frame_.plot.right() : at.x, flat ? at.y : frame_.plot.bottom()}};
  scene.canvas.line_strip(line, {.color = scene.ui.style.accent, .width = scene.ui.scale});
}

void FigureWidget::draw_links(const Scene& scene) const {
  LinkState& links = scene.reach.links;
  const std::vector<double>& pins = scene.reach.marks.pins;
  const bool pinned =
      links.distance() && std::find(pins.begin(), pins.end(), *links.distance()) != pins.end();
  const bool here = pinned || links.points_from(scene.figure.id);
  if (links.distance() && !here)
    draw_linked_distance(scene.canvas, scene.figure, frame_, scene.view, *links.distance(),
                         scene.ui);
  if (!scene.hovered || menu_open_) return;
  links.point({pointed_distance(scene.figure, frame_, scene.view, scene.cursor), scene.figure.id});
}

/// Shows that the keyboard is here.
void FigureWidget::draw_ring(const Scene& scene) const {
  const double width = std::max(1.0, std::round(scene.ui.scale));
  const Rect& a = frame_.area;
  draw_outline(scene.canvas, {a.x + width, a.y + width, a.width - 2 * width, a.height - 2 * width},
               {.color = scene.ui.style.accent, .width = width});
}

void FigureWidget::read_out(const Scene& scene) const {
  const Figure& figure = scene.figure;
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    const auto readout = read_lines(*plot, frame_, scene.view, scene.cursor);
    const std::vector<double>& pins = scene.reach.marks.pins;
    // A pin there says it already.
    if (readout && std::find(pins.begin(), pins.end(), readout->x) == pins.end())
      draw_line_readout(scene.canvas, *plot, *readout, frame_, scene.ui);
  } else if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
    const auto readout = read_cell(*map, frame_, scene.cursor);
    if (!readout) return;
    std::vector<CellTerm> terms;
    if (scene.reach.result)
      terms = read_terms(*scene.reach.result, figure.id, *map, {readout->row, readout->column});
    draw_cell_readout(scene.canvas, *map, *readout, terms, frame_, scene.ui);
  } else if (const auto* vectors = std::get_if<VectorPlot>(&figure.content)) {
    const double reach = kArrowReach * scene.ui.scale;
    if (const auto arrow = read_arrow(*vectors, frame_, scene.cursor, reach))
      draw_arrow_readout(scene.canvas, *vectors, *arrow, frame_, scene.ui);
  }
}

}  // namespace orrery
