#include "app/views/figure_set.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/imgui_shim.h"
#include "app/theme.h"

namespace orrery {
namespace {

// A map with its labels and colour bar is about this much wider than high.
constexpr double kMapAspect = 1.15;
constexpr double kGap = 10;

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

/// "decay_bound" as "Decay bound": the figure's own title is long, and stands above it anyway.
std::string tab_title(std::string id) {
  std::replace(id.begin(), id.end(), '_', ' ');
  if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
  return id;
}

}  // namespace

std::size_t best_columns(std::size_t count, double width, double height) {
  std::size_t best = 1;
  double largest = 0.0;
  for (std::size_t columns = 1; columns <= count; ++columns) {
    const std::size_t rows = (count + columns - 1) / columns;
    const double cell = std::min(width / static_cast<double>(columns) / kMapAspect,
                                 height / static_cast<double>(rows));
    if (cell <= largest) continue;
    largest = cell;
    best = columns;
  }
  return best;
}

double draw_tab_row(std::span<const std::string> labels, std::size_t& chosen, const Rect& area,
                    const Ui& ui) {
  const ImGuiStyle& look = ImGui::GetStyle();
  const double line = static_cast<double>(ImGui::GetFrameHeight()) + ui.scale * 4;
  Point at{area.x, area.y};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double width =
        static_cast<double>(ImGui::CalcTextSize(labels[i].c_str()).x + 2 * look.FramePadding.x);
    if (at.x > area.x && at.x + width > area.right()) at = {area.x, at.y + line};
    ImGui::SetCursorScreenPos(shim::vec(at));
    ImGui::PushID(static_cast<int>(i));
    if (tab(labels[i], i == chosen, ui)) chosen = i;
    ImGui::PopID();
    at.x += width + ui.scale * 4;
  }
  return at.y + line - area.y;
}

const FigureWidget* FigureSet::widget(const std::string& figure_id) const {
  const auto found = widgets_.find(figure_id);
  return found == widgets_.end() ? nullptr : &found->second;
}

void FigureSet::draw_one(Session& session, const Figure& figure, const Rect& area, const Ui& ui) {
  widgets_[figure.id].draw(figure, area, session.view(figure.id), ui);
}

void FigureSet::draw_tabs(Session& session, std::span<const Figure> figures, const Rect& area,
                          const Ui& ui) {
  if (figures.empty()) return;
  std::size_t chosen = 0;
  std::vector<std::string> titles;
  for (const Figure& figure : figures) {
    if (figure.id == session.current().figure) chosen = titles.size();
    titles.push_back(tab_title(figure.id));
  }
  Rect room = area;
  if (figures.size() > 1) {
    const double height = draw_tab_row(titles, chosen, area, ui);
    room.y += height;
    room.height -= height;
    session.select_figure(figures[chosen].id);
  }
  draw_one(session, figures[chosen], room, ui);
}

void FigureSet::draw_grid(Session& session, std::span<const Figure* const> figures,
                          std::size_t columns, const Rect& area, const Ui& ui) {
  if (figures.empty() || columns == 0) return;
  const std::size_t rows = (figures.size() + columns - 1) / columns;
  const double gap = kGap * ui.scale;
  const double width =
      (area.width - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const double height =
      (area.height - gap * static_cast<double>(rows - 1)) / static_cast<double>(rows);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = *figures[i];
    const FigureView before = session.view(figure.id);
    const Rect cell{area.x + static_cast<double>(i % columns) * (width + gap),
                    area.y + static_cast<double>(i / columns) * (height + gap), width, height};
    draw_one(session, figure, cell, ui);
    const FigureView& after = session.view(figure.id);
    if (after.x == before.x && after.y == before.y) continue;
    for (const Figure* other : figures) {
      if (!same_shape(figure, *other)) continue;
      session.view(other->id).x = after.x;
      session.view(other->id).y = after.y;
    }
  }
}

}  // namespace orrery
