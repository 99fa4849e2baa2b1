#include "app/views/figure_gestures.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/gui/imgui_shim.h"
#include "app/views/marks.h"

namespace orrery {
namespace {

constexpr double zoom_per_step = 0.85;
constexpr double pan_per_key = 0.1;  ///< of the plot's side
// Smaller boxes and drags are clicks with an unsteady hand.
constexpr double min_box = 6.0;
constexpr double min_drag = 3.0;
// A line can be dragged from this near.
constexpr double grab_reach = 5.0;

/// The ranges that a map fills, which the view cannot leave; a line plot has none.
struct Home {
  std::optional<Range> x{};
  std::optional<Range> y{};
};

Range ordered(double a, double b) { return {std::min(a, b), std::max(a, b)}; }

Home home_of(const Figure& figure, const FigureLayout& frame) {
  const auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || !map->values || map->values->size() == 0) return {};
  const std::vector<std::size_t>& shape = map->values->shape;
  const Rect first = cell_rect(*map, frame, {0, 0});
  const Rect last = cell_rect(*map, frame, {shape.at(0) - 1, shape.at(1) - 1});
  return {map->x.whole.value_or(ordered(frame.x.to_data(first.x), frame.x.to_data(last.right()))),
          map->y.whole.value_or(ordered(frame.y.to_data(first.y), frame.y.to_data(last.bottom())))};
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

void hide_all_but(const LinePlot& plot, FigureView& view, const std::string& name) {
  std::set<std::string> others;
  for (const Series& series : plot.series)
    if (!series.is_ghost() && !series.is_part() && series.name != name) others.insert(series.name);
  // A second click shows the others again.
  view.hidden = view.hidden == others ? std::set<std::string>{} : others;
}

/// Of an equation of maps one map is panned and zoomed, and the others with it; around them nothing
/// moves.
bool is_fixed(const FigureLayout& frame) { return !frame.parts.empty(); }

/// The meaning of a figure's colours; arrows are coloured from low to high.
Meaning meaning_of(const Figure& figure) {
  const auto* map = std::get_if<Heatmap>(&figure.content);
  return map ? map->meaning : Meaning::sequential;
}

/// The rectangle between two corners.
Rect spanned(Point a, Point b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
}

/// The line under the mouse that shows a parameter; null without one.
const Rule* rule_at(const FigureInput& input) {
  if (!input.frame.plot.contains(input.cursor)) return nullptr;
  const std::span<const Rule> rules = input.reach.rules;
  const auto nearest = nearest_of(0, rules.size(), grab_reach * input.ui.scale, [&](std::size_t i) {
    if (rules[i].param.empty()) return std::numeric_limits<double>::infinity();
    return rules[i].direction == Rule::Direction::horizontal
               ? std::abs(input.frame.y.to_canvas(rules[i].at) - input.cursor.y)
               : std::abs(input.frame.x.to_canvas(rules[i].at) - input.cursor.x);
  });
  return nearest ? &rules[*nearest] : nullptr;
}

void zoom(const FigureInput& input, Point about, double factor, bool x, bool y) {
  if (is_fixed(input.frame)) return;
  const Home home = home_of(input.figure, input.frame);
  if (x) show(input.view.x, zoomed(input.frame.x, about.x, factor), home.x);
  if (y) show(input.view.y, zoomed(input.frame.y, about.y, factor), home.y);
}

void wheel(const FigureInput& input) {
  const double steps = static_cast<double>(ImGui::GetIO().MouseWheel);
  if (steps == 0.0) return;
  const double factor = std::pow(zoom_per_step, steps);
  const bool in_plot = input.frame.plot.contains(input.cursor);
  if (input.frame.color_bar.contains(input.cursor)) {
    const auto color =
        zoomed_color(input.frame.color, meaning_of(input.figure), input.cursor.y, factor);
    if (color) input.view.color = color;
    return;
  }
  zoom(input, input.cursor, factor, in_plot || input.frame.x_axis.contains(input.cursor),
       in_plot || input.frame.y_axis.contains(input.cursor));
}

void fit(const FigureInput& input) {
  const bool in_plot = input.frame.plot.contains(input.cursor);
  if (in_plot || input.frame.x_axis.contains(input.cursor)) input.view.x.reset();
  if (in_plot || input.frame.y_axis.contains(input.cursor)) input.view.y.reset();
  if (input.frame.color_bar.contains(input.cursor)) input.view.color.reset();
}

void pan_by_key(const FigureInput& input, double x, double y) {
  if (is_fixed(input.frame)) return;
  const Home home = home_of(input.figure, input.frame);
  const double dx = x * pan_per_key * input.frame.plot.width,
               dy = y * pan_per_key * input.frame.plot.height;
  if (dx != 0.0) show(input.view.x, panned(input.frame.x, dx), home.x);
  if (dy != 0.0) show(input.view.y, panned(input.frame.y, dy), home.y);
}

bool click_legend(const FigureInput& input) {
  const auto* plot = std::get_if<LinePlot>(&input.figure.content);
  if (!plot) return false;
  for (const FigureLayout::LegendEntry& entry : input.frame.legend) {
    if (!entry.box.contains(input.cursor)) continue;
    if (ImGui::GetIO().KeyCtrl)
      hide_all_but(*plot, input.view, entry.series);
    else if (input.view.hidden.erase(entry.series) == 0)
      input.view.hidden.insert(entry.series);
    return true;
  }
  return false;
}

}  // namespace

bool has_plot(const FigureLayout& frame) { return frame.plot.width > 0 && frame.plot.height > 0; }

Point clamped(Point p, const Rect& area) {
  return {std::clamp(p.x, area.x, area.right()), std::clamp(p.y, area.y, area.bottom())};
}

void FigureGestures::hover(const FigureInput& input) {
  shape_mouse(input);
  wheel(input);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) double_click(input);
}

void FigureGestures::press(const FigureInput& input) {
  anchor_ = input.cursor;
  anchored_ = input.frame;
  swallows_release_ = false;
  const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (!left) {
    drag_ = Drag::box;
    return;
  }
  if (click_legend(input) || press_on_marks(input)) return;
  grip_ = color_grip_at(input.frame, meaning_of(input.figure), input.cursor);
  along_x_ = !input.frame.y_axis.contains(input.cursor);
  along_y_ = !input.frame.x_axis.contains(input.cursor);
  const bool on_axis = !along_x_ || !along_y_;
  if (grip_ != ColorGrip::none)
    drag_ = Drag::color;
  else if (input.frame.plot.contains(input.cursor))
    drag_ = Drag::press;
  else if (on_axis)
    drag_ = Drag::pan;
}

bool FigureGestures::press_on_marks(const FigureInput& input) {
  FigureMarks& marks = input.reach.marks;
  const double reach = grab_reach * input.ui.scale;
  if (const auto cursor = cursor_at(marks, input.frame, input.cursor, reach)) {
    grabbed_ = *cursor;
    drag_ = Drag::cursor;
    return true;
  }
  if (const Rule* rule = rule_at(input)) {
    rule_ = *rule;
    drag_ = Drag::rule;
    return true;
  }
  const auto pin = pin_at(marks, input.frame, input.cursor, reach);
  if (!pin || !ImGui::GetIO().KeyCtrl) return false;
  marks.pins.erase(marks.pins.begin() + static_cast<std::ptrdiff_t>(*pin));
  input.reach.links.hold({});
  return true;
}

void FigureGestures::follow(const FigureInput& input) {
  if (drag_ == Drag::none) return;
  const bool right = drag_ == Drag::box;
  if (!ImGui::IsMouseDown(right ? ImGuiMouseButton_Right : ImGuiMouseButton_Left)) {
    release(input);
    drag_ = Drag::none;
    return;
  }
  const double moved =
      std::max(std::abs(input.cursor.x - anchor_.x), std::abs(input.cursor.y - anchor_.y));
  if (drag_ == Drag::press && moved >= min_drag * input.ui.scale) drag_ = Drag::pan;
  if (drag_ == Drag::pan) follow_pan(input);
  if (drag_ == Drag::color) {
    const auto color =
        dragged_color(anchored_.color, grip_, meaning_of(input.figure), anchor_.y, input.cursor.y);
    if (color && moved > 0.0) input.view.color = color;
  }
  if (drag_ == Drag::cursor) follow_cursor(input);
  if (drag_ == Drag::rule && moved > 0.0) follow_rule(input);
}

void FigureGestures::follow_cursor(const FigureInput& input) {
  const auto* plot = std::get_if<LinePlot>(&input.figure.content);
  if (!plot || !input.reach.marks.cursors) return;
  const Point at = clamped(input.cursor, input.frame.plot);
  if (const auto here = read_lines_at(*plot, input.frame, input.view, input.frame.x.to_data(at.x)))
    (*input.reach.marks.cursors)[grabbed_] = here->x;
}

void FigureGestures::follow_rule(const FigureInput& input) const {
  if (!input.reach.set_param) return;
  const bool flat = rule_.direction == Rule::Direction::horizontal;
  const Point at = clamped(input.cursor, input.frame.plot);
  const double value = flat ? input.frame.y.to_data(at.y) : input.frame.x.to_data(at.x);
  if (std::isfinite(value)) input.reach.set_param(rule_.param, value);
}

void FigureGestures::shape_mouse(const FigureInput& input) const {
  const double reach = grab_reach * input.ui.scale;
  const Rule* rule = drag_ == Drag::rule ? &rule_ : drag_ == Drag::none ? rule_at(input) : nullptr;
  const bool on_rule = rule != nullptr;
  const bool flat = on_rule && rule->direction == Rule::Direction::horizontal;
  const bool on_color =
      color_grip_at(input.frame, meaning_of(input.figure), input.cursor) != ColorGrip::none;
  if (flat || on_color || drag_ == Drag::color)
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  else if (on_rule || drag_ == Drag::cursor ||
           cursor_at(input.reach.marks, input.frame, input.cursor, reach))
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
}

void FigureGestures::follow_pan(const FigureInput& input) {
  if (is_fixed(input.frame)) return;
  const Home home = home_of(input.figure, anchored_);
  const double x = input.cursor.x - anchor_.x, y = input.cursor.y - anchor_.y;
  if (along_x_ && x != 0.0) show(input.view.x, panned(anchored_.x, x), home.x);
  if (along_y_ && y != 0.0) show(input.view.y, panned(anchored_.y, y), home.y);
}

void FigureGestures::release(const FigureInput& input) {
  if (drag_ == Drag::press && !swallows_release_) click(input);
  // A line lies across the cells of its own row or column.
  const Rect moved = spanned(anchor_, input.cursor);
  if (drag_ == Drag::rule && std::max(moved.width, moved.height) < min_drag * input.ui.scale)
    static_cast<void>(choose_cell(input));
  if (drag_ == Drag::box) finish_box(input);
}

bool FigureGestures::choose_cell(const FigureInput& input) const {
  if (!std::holds_alternative<Heatmap>(input.figure.content) || !input.reach.set_param)
    return false;
  const Rule *column = nullptr, *row = nullptr;
  for (const Rule& rule : input.reach.rules)
    if (!rule.param.empty()) (rule.direction == Rule::Direction::vertical ? column : row) = &rule;
  if (!column || !row) return false;
  input.reach.set_param(column->param, input.frame.x.to_data(anchor_.x));
  input.reach.set_param(row->param, input.frame.y.to_data(anchor_.y));
  return true;
}

void FigureGestures::click(const FigureInput& input) {
  if (choose_cell(input)) return;
  LinkedCursor& links = input.reach.links;
  const auto distance = pointed_distance(input.figure, input.frame, input.view, anchor_);
  clicked_.reset();
  if (const auto* plot = std::get_if<LinePlot>(&input.figure.content)) {
    const auto here = read_lines(*plot, input.frame, input.view, anchor_);
    if (!here) return;
    const std::size_t before = input.reach.marks.pins.size();
    add_pin(input.reach.marks, here->x);
    if (input.reach.marks.pins.size() > before) clicked_ = here->x;
    if (distance) links.hold(distance);
  } else if (distance) {
    links.hold(links.held() == distance ? std::nullopt : distance);
  }
}

void FigureGestures::double_click(const FigureInput& input) {
  std::vector<double>& pins = input.reach.marks.pins;
  if (clicked_) std::erase(pins, *clicked_);
  if (clicked_ || std::holds_alternative<Heatmap>(input.figure.content)) input.reach.links.hold({});
  clicked_.reset();
  swallows_release_ = true;
  fit(input);
}

void FigureGestures::finish_box(const FigureInput& input) {
  const Rect box = spanned(anchor_, clamped(input.cursor, anchored_.plot));
  const bool in_plot = has_plot(anchored_) && anchored_.plot.contains(anchor_);
  const bool is_box = in_plot && box.width >= min_box && box.height >= min_box;
  if (!is_box) {
    const Rect moved = spanned(anchor_, input.cursor);
    if (std::max(moved.width, moved.height) >= min_box) return;
    open_menu(anchor_);
    return;
  }
  if (is_fixed(input.frame)) return;
  const Home home = home_of(input.figure, anchored_);
  show(input.view.x, between_pixels(anchored_.x, box.x, box.right()), home.x);
  show(input.view.y, between_pixels(anchored_.y, box.y, box.bottom()), home.y);
}

void FigureGestures::open_menu(Point at) {
  menu_at_ = at;
  ImGui::OpenPopup(figure_menu);
}

void FigureGestures::obey(const FigureInput& input, FigureCommand command) {
  const auto* plot = std::get_if<LinePlot>(&input.figure.content);
  const Point middle{input.frame.plot.x + input.frame.plot.width / 2,
                     input.frame.plot.y + input.frame.plot.height / 2};
  const Point about =
      input.hovered && input.frame.plot.contains(input.cursor) ? input.cursor : middle;
  switch (command) {
    case FigureCommand::none:
      return;
    case FigureCommand::left:
      return pan_by_key(input, 1, 0);
    case FigureCommand::right:
      return pan_by_key(input, -1, 0);
    case FigureCommand::up:
      return pan_by_key(input, 0, 1);
    case FigureCommand::down:
      return pan_by_key(input, 0, -1);
    case FigureCommand::zoom_in:
      return zoom(input, about, zoom_per_step, true, true);
    case FigureCommand::zoom_out:
      return zoom(input, about, 1.0 / zoom_per_step, true, true);
    case FigureCommand::fit:
      input.view.x.reset();
      input.view.y.reset();
      return;
    case FigureCommand::cursors:
      if (plot) toggle_cursors(input.reach.marks, *plot, input.frame, input.view);
      return;
    case FigureCommand::menu:
      open_menu(about);
      return;
    case FigureCommand::clear:
      input.reach.marks = {};
      input.reach.links.hold({});
      return;
    case FigureCommand::next:
    case FigureCommand::previous:
      return;  // moves the focus, which is not this figure's
  }
}

std::optional<Rect> FigureGestures::box(const FigureInput& input) const {
  if (drag_ != Drag::box || !anchored_.plot.contains(anchor_) || is_fixed(input.frame))
    return std::nullopt;
  return spanned(anchor_, clamped(input.cursor, input.frame.plot));
}

}  // namespace orrery
