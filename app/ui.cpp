#include "app/ui.h"

#include "app/imgui_shim.h"

namespace orrery {

void text(std::string_view utf8) { ImGui::TextUnformatted(utf8.data(), utf8.data() + utf8.size()); }

void text_colored(Color color, std::string_view utf8) {
  ImGui::PushStyleColor(ImGuiCol_Text, shim::floats(color));
  text(utf8);
  ImGui::PopStyleColor();
}

void text_muted(std::string_view utf8) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  text(utf8);
  ImGui::PopStyleColor();
}

void tooltip(const Ui& ui, std::string_view utf8) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui.px(340));
  text(utf8);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace orrery
