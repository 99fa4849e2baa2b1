#include "app/shell/action_menu.h"

#include <imgui.h>

#include <string>
#include <string_view>

namespace orrery {

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

}  // namespace orrery
