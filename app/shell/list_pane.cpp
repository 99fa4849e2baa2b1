#include "app/shell/view_pane.h"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <string>
#include <string_view>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

constexpr std::array offered_scales{1.0, 1.25, 1.5, 2.0, 3.0};

/// Draws one entry of the list over its whole width, with a bar in the accent colour when chosen.
/// Returns whether it was clicked.
bool draw_entry(const std::string& title, std::string_view about, bool chosen, const Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const bool fits = ImGui::CalcTextSize(title.c_str()).x <= room;
  const std::string label = (fits ? title : shortened(title, room)) + "##" + title;
  const float height = ImGui::GetFrameHeight() + ui.px(4);
  const bool pressed = ImGui::Selectable(label.c_str(), chosen, 0, ImVec2(0, height));
  if (chosen)
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - ui.px(8), at.y),
                                              ImVec2(at.x - ui.px(5), at.y + height),
                                              shim::packed(ui.style.accent), ui.px(2));
  tooltip(ui, fits ? std::string(about) : title + "\n" + std::string(about));
  return pressed;
}

std::string percent(double scale) { return fmt::format("{:.0f}%", 100 * scale); }

void draw_look_choices(Look& look, const Ui& ui) {
  constexpr std::array names{"Dark", "Light", "Print"};
  ImGui::SetNextItemWidth(ui.px(82));
  int theme = static_cast<int>(look.theme);
  if (ImGui::Combo("##theme", &theme, names.data(), static_cast<int>(names.size())))
    look.theme = static_cast<Theme>(theme);
  tooltip(ui, "Sets the colours.");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::BeginCombo("##scale", percent(look.scale).c_str())) {
    for (const double scale : offered_scales)
      if (ImGui::Selectable(percent(scale).c_str(), scale == look.scale)) look.scale = scale;
    ImGui::EndCombo();
  }
  tooltip(ui, "Sets the size of everything. Choose 150% or more for a projector.");
}

void draw_head(ActionHandler& actions, const Ui& ui) {
  draw_heading(ui, "Orrery");
  ImGui::SameLine();
  const float menu = ImGui::CalcTextSize("☰").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - menu);
  draw_action_menu(actions, ui);
}

void draw_views(Workspace& workspace, const Ui& ui) {
  const Session& live = workspace.live();
  for (std::size_t i = 0; i < live.size(); ++i) {
    const ExperimentInfo& info = live.state(i).experiment->info;
    const bool chosen = !workspace.is_browsing() && i == live.selected();
    if (draw_entry(info.title, info.question, chosen, ui)) workspace.show_view(i);
    mark_item(ui, "view " + info.name);
  }
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  const ExperimentInfo& saved = workspace.browser().session().current().experiment->info;
  if (draw_entry(saved.title, saved.question, workspace.is_browsing(), ui)) workspace.show_saved();
  mark_item(ui, "view saved_results");
}

}  // namespace

void draw_action_menu(ActionHandler& actions, const Ui& ui) {
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  if (ImGui::Button("☰")) ImGui::OpenPopup("menu");
  ImGui::PopStyleColor();
  tooltip(ui, "Lists all actions.");
  if (!ImGui::BeginPopup("menu")) return;
  std::string_view group;
  for (const Action& action : actions.actions()) {
    if (!group.empty() && group != action.group) ImGui::Separator();
    group = action.group;
    const std::string keys =
        action.shortcuts.empty() ? std::string() : shortcut_text(action.shortcuts.front());
    if (ImGui::MenuItem(std::string(action.title).c_str(), keys.c_str())) actions.perform(action);
    tooltip(ui, action.about);
  }
  ImGui::EndPopup();
}

void draw_list_pane(Workspace& workspace, ActionHandler& actions, const Rect& area, const Ui& ui) {
  begin_column("views", area, raised_color(ui.style));
  draw_head(actions, ui);
  ImGui::Dummy(ImVec2(0, ui.px(8)));
  draw_views(workspace, ui);
  const float bottom = ImGui::GetWindowHeight() - ImGui::GetFrameHeight() - ui.px(area_margin);
  if (bottom > ImGui::GetCursorPosY()) {
    ImGui::SetCursorPosY(bottom);
    draw_look_choices(workspace.live().look, ui);
  }
  ImGui::EndChild();
}

}  // namespace orrery
