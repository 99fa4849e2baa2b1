#include "app/views/figure_set.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/imgui_shim.h"
#include "app/session/number_scale.h"

namespace orrery {
namespace {

constexpr double tab_gap = 4, tab_list_width = 380;

bool same_shape(const Figure& a, const Figure& b) {
  const auto* map_a = std::get_if<Heatmap>(&a.content);
  const auto* map_b = std::get_if<Heatmap>(&b.content);
  return map_a && map_b && map_a->values && map_b->values &&
         map_a->values->shape == map_b->values->shape;
}

bool tab(const std::string& label, bool chosen, const Ui& ui) {
  ImGui::PushStyleColor(ImGuiCol_Button,
                        chosen ? ImGui::GetStyleColorVec4(ImGuiCol_Header) : ImVec4(0, 0, 0, 0));
  ImGui::PushStyleColor(ImGuiCol_Text, shim::floats(chosen ? ui.style.text : ui.style.muted));
  const bool pressed = ImGui::Button(label.c_str());
  ImGui::PopStyleColor(2);
  return pressed;
}

double width_of_tabs(std::span<const std::string> labels, const Ui& ui) {
  const double padding = 2 * static_cast<double>(ImGui::GetStyle().FramePadding.x);
  double width = 0;
  for (const std::string& label : labels) width += text_width(label) + padding + ui.scale * tab_gap;
  return width - ui.scale * tab_gap;
}

void draw_tab_list(std::span<const std::string> labels, std::size_t& chosen, const Rect& area,
                   const Ui& ui) {
  const std::size_t before = chosen, count = labels.size();
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  if (ImGui::ArrowButton("previous", ImGuiDir_Left)) chosen = (before + count - 1) % count;
  mark_item(ui, "button previous figure");
  ImGui::SameLine(0, ui.px(tab_gap));
  const double room =
      area.width - 2 * static_cast<double>(ImGui::GetFrameHeight()) - 4 * ui.scale * tab_gap;
  ImGui::SetNextItemWidth(static_cast<float>(std::min(room, ui.scale * tab_list_width)));
  if (ImGui::BeginCombo("##tabs", labels[before].c_str(), ImGuiComboFlags_HeightLarge)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (ImGui::Selectable(labels[i].c_str(), i == before)) chosen = i;
      mark_item(ui, "tab " + labels[i]);
    }
    ImGui::EndCombo();
  }
  mark_item(ui, "list of figures");
  ImGui::SameLine(0, ui.px(tab_gap));
  if (ImGui::ArrowButton("next", ImGuiDir_Right)) chosen = (before + 1) % count;
  mark_item(ui, "button next figure");
}

/// Applies the zoom of a map to all others of its shape.
void move_together(Session& session, std::span<const PlacedFigure> figures,
                   const PlacedFigure& moved, const FigureView& before) {
  const FigureView after = session.view(moved.figure->id);
  if (after.x == before.x && after.y == before.y) return;
  for (const PlacedFigure& other : figures) {
    if (!same_shape(*moved.figure, *other.figure)) continue;
    session.view(other.figure->id).x = after.x;
    session.view(other.figure->id).y = after.y;
  }
}

/// Lets the menu of a figure subtract others of the result from it.
void offer_minus(Session& session, const std::string& id, FigureReach& reach) {
  const ExperimentState& state = session.current();
  if (!state.result || state.shown.difference || session.swept()) return;
  const auto present = state.shown.minus.find(id);
  if (present != state.shown.minus.end()) reach.minus = present->second;
  reach.minus_choices = [&session, id] { return minus_choices(*session.current().result, id); };
  reach.subtract = [&session, id](const std::optional<Subtrahend>& what) {
    set_minus(session.shown(), id, what);
  };
}

/// Sets the parameter to the nearest valid value.
void set_from_rule(Session& session, const std::string& key, double at) {
  const ParamSpec spec = within_files(session, session.current().params.spec(key));
  session.set_value(key, nearest_value(spec, at));
}

}  // namespace

std::span<const Rule> rules_of(const Figure& figure) {
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) return plot->rules;
  if (const auto* map = std::get_if<Heatmap>(&figure.content)) return map->rules;
  return {};
}

std::size_t best_columns(std::size_t count, double width, double height, double aspect) {
  std::size_t best = 1;
  double largest = 0.0;
  for (std::size_t columns = 1; columns <= count; ++columns) {
    const std::size_t rows = (count + columns - 1) / columns;
    const double cell =
        std::min(width / static_cast<double>(columns) / aspect, height / static_cast<double>(rows));
    if (cell <= largest) continue;
    largest = cell;
    best = columns;
  }
  return best;
}

std::vector<PlacedFigure> placed_in_grid(const Figures& figures, std::size_t columns,
                                         const Rect& area, double gap) {
  std::vector<PlacedFigure> placed;
  if (columns == 0) return placed;
  const std::size_t rows = (figures.size() + columns - 1) / columns;
  const auto across = static_cast<double>(columns), down = static_cast<double>(rows);
  const double width = (area.width - gap * (across - 1)) / across;
  const double height = (area.height - gap * (down - 1)) / down;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    placed.push_back({figures[i],
                      {area.x + static_cast<double>(column) * (width + gap),
                       area.y + static_cast<double>(row) * (height + gap), width, height},
                      nullptr});
  }
  return placed;
}

void draw_tab_row(std::span<const std::string> labels, std::size_t& chosen, const Rect& line,
                  const Ui& ui) {
  if (labels.empty() || line.width <= 0) return;
  if (width_of_tabs(labels, ui) > line.width) return draw_tab_list(labels, chosen, line, ui);
  ImGui::SetCursorScreenPos(shim::vec({line.x, line.y}));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, ui.px(tab_gap));
    ImGui::PushID(static_cast<int>(i));
    if (tab(labels[i], i == chosen, ui)) chosen = i;
    mark_item(ui, "tab " + labels[i]);
    ImGui::PopID();
  }
}

void FigureSet::draw_one(Session& session, const PlacedFigure& placed, const Result& result,
                         bool live, const Ui& ui) {
  const Figure& figure = *placed.figure;
  FigureView& view = session.view(figure.id);
  FigureReach reach{
      .marks = session.shown().marks[figure.id],
      .links = session.links,
      .owner = placed.figure,
      .result = placed.result ? placed.result.get() : &result,
      .export_as = session.export_figure
                       ? std::function<void(const std::string&)>([&](const std::string& extension) {
                           session.export_figure(figure, view, extension);
                         })
                       : nullptr};
  offer_minus(session, figure.id, reach);
  if (live) {
    reach.rules = rules_of(figure);
    reach.set_param = [&](const std::string& key, double at) { set_from_rule(session, key, at); };
  }
  FigureWidget& widget = widgets_[figure.id];
  Ui inset = ui;
  inset.style.inset_left = placed.inset_left;
  inset.style.inset_right = placed.inset_right;
  widget.draw(figure, placed.area, view, reach, inset);
  if (ui.item_rects) ui.item_rects->mark_figure(figure.id, widget.frame());
}

const FigureLayout* FigureSet::frame(const std::string& id) const {
  const auto found = widgets_.find(id);
  return found == widgets_.end() ? nullptr : &found->second.frame();
}

void FigureSet::draw(Session& session, std::span<const PlacedFigure> figures, const Result& result,
                     bool live, const Ui& ui) {
  for (const PlacedFigure& placed : figures) {
    const FigureView before = session.view(placed.figure->id);
    draw_one(session, placed, result, live, ui);
    session.on_screen.push_back(placed.figure.get());
    move_together(session, figures, placed, before);
  }
  move_focus(figures);
}

void FigureSet::move_focus(std::span<const PlacedFigure> figures) {
  if (figures.empty()) return;
  const auto at = [&](std::size_t i) -> FigureWidget& { return widgets_[figures[i].figure->id]; };
  if (shim::key_pressed(GLFW_KEY_F6, false)) at(0).take_focus();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const int step = at(i).focus_step();
    if (step != 0)
      at(step > 0 ? (i + 1) % figures.size() : (i + figures.size() - 1) % figures.size())
          .take_focus();
  }
}

}  // namespace orrery
