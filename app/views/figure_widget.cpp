#include "app/views/figure_widget.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/canvas/imgui_canvas.h"
#include "app/imgui_shim.h"
#include "app/theme.h"
#include "app/views/plot_ranges.h"
#include "app/views/readout_tip.h"

namespace orrery {
namespace {

constexpr double kZoomPerStep = 0.85;
// Boxes smaller than this are a trembling hand.
constexpr double kLeastBox = 6.0;
// Nothing can be drawn or aimed at in less.
constexpr double kLeastSide = 8.0;

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

}  // namespace

void FigureWidget::draw(const Figure& figure, const Rect& area, FigureView& view, const Ui& ui) {
  if (area.width < kLeastSide || area.height < kLeastSide) return;
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  ImGui::PushID(figure.id.c_str());
  ImGui::InvisibleButton("figure", shim::vec({area.width, area.height}),
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  canvas.push_clip(area);
  frame_ = draw_figure(canvas, figure, area, ui.style, view, &cache_);
  const Point cursor = shim::point(ImGui::GetIO().MousePos);
  if (has_plot(frame_)) {
    if (ImGui::IsItemActivated() && !click_legend(figure, view, cursor)) start_drag(cursor);
    if (drag_ != Drag::none) follow_drag(figure, view, cursor);
    if (hovered) wheel(figure, view, cursor);
    if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) fit(view, cursor);
    if (drag_ == Drag::box) draw_box(canvas, ui, cursor);
    if (hovered && drag_ == Drag::none) read_out(canvas, figure, view, ui, cursor);
  }
  canvas.pop_clip();
}

void FigureWidget::start_drag(Point cursor) {
  const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const bool in_plot = frame_.plot.contains(cursor);
  const bool on_axis = frame_.x_axis.contains(cursor) || frame_.y_axis.contains(cursor);
  anchor_ = cursor;
  anchored_ = frame_;
  along_x_ = !frame_.y_axis.contains(cursor);
  along_y_ = !frame_.x_axis.contains(cursor);
  if (left && (in_plot || on_axis)) drag_ = Drag::pan;
  if (!left && in_plot) drag_ = Drag::box;
}

void FigureWidget::follow_drag(const Figure& figure, FigureView& view, Point cursor) {
  const bool box = drag_ == Drag::box;
  const bool held = ImGui::IsMouseDown(box ? ImGuiMouseButton_Right : ImGuiMouseButton_Left);
  if (!held) {
    if (box) finish_box(figure, view, cursor);
    drag_ = Drag::none;
    return;
  }
  const bool moved = cursor.x != anchor_.x || cursor.y != anchor_.y;
  if (box || !moved) return;
  const Home home = home_of(figure, anchored_);
  if (along_x_) show(view.x, panned(anchored_.x, cursor.x - anchor_.x), home.x);
  if (along_y_) show(view.y, panned(anchored_.y, cursor.y - anchor_.y), home.y);
}

void FigureWidget::finish_box(const Figure& figure, FigureView& view, Point cursor) {
  const Rect box = spanned(anchor_, clamped(cursor, anchored_.plot));
  if (box.width < kLeastBox || box.height < kLeastBox) return;
  const Home home = home_of(figure, anchored_);
  show(view.x, between_pixels(anchored_.x, box.x, box.right()), home.x);
  show(view.y, between_pixels(anchored_.y, box.y, box.bottom()), home.y);
}

void FigureWidget::wheel(const Figure& figure, FigureView& view, Point cursor) const {
  const double steps = static_cast<double>(ImGui::GetIO().MouseWheel);
  if (steps == 0.0) return;
  const double factor = std::pow(kZoomPerStep, steps);
  const Home home = home_of(figure, frame_);
  const bool in_plot = frame_.plot.contains(cursor);
  if (in_plot || frame_.x_axis.contains(cursor))
    show(view.x, zoomed(frame_.x, cursor.x, factor), home.x);
  if (in_plot || frame_.y_axis.contains(cursor))
    show(view.y, zoomed(frame_.y, cursor.y, factor), home.y);
}

void FigureWidget::fit(FigureView& view, Point cursor) const {
  if (frame_.plot.contains(cursor) || frame_.x_axis.contains(cursor)) view.x.reset();
  if (frame_.plot.contains(cursor) || frame_.y_axis.contains(cursor)) view.y.reset();
}

bool FigureWidget::click_legend(const Figure& figure, FigureView& view, Point cursor) const {
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  if (!plot || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return false;
  for (const FigureFrame::LegendEntry& entry : frame_.legend) {
    if (!entry.box.contains(cursor)) continue;
    if (ImGui::GetIO().KeyCtrl)
      hide_all_but(*plot, view, entry.series);
    else if (view.hidden.erase(entry.series) == 0)
      view.hidden.insert(entry.series);
    return true;
  }
  return false;
}

void FigureWidget::draw_box(Canvas& canvas, const Ui& ui, Point cursor) const {
  const Rect box = spanned(anchor_, clamped(cursor, frame_.plot));
  canvas.rect(box, with_alpha(ui.style.accent, 0.15));
  const Point corners[] = {{box.x, box.y},
                           {box.right(), box.y},
                           {box.right(), box.bottom()},
                           {box.x, box.bottom()},
                           {box.x, box.y}};
  canvas.line_strip(corners, {.color = ui.style.accent, .width = ui.scale});
}

void FigureWidget::read_out(Canvas& canvas, const Figure& figure, const FigureView& view,
                            const Ui& ui, Point cursor) const {
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    if (const auto readout = read_lines(*plot, frame_, view, cursor))
      draw_line_readout(canvas, *plot, *readout, frame_, ui);
  } else if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
    if (const auto readout = read_cell(*map, frame_, cursor))
      draw_cell_readout(canvas, *map, *readout, frame_, ui);
  }
}

}  // namespace orrery
