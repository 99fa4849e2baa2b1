#include "app/views/word_button.h"

namespace orrery {

bool word_button(const char* word, bool chosen, const Ui& ui, ImVec2 size) {
  ImGui::PushStyleColor(ImGuiCol_Text,
                        ImGui::GetStyleColorVec4(chosen ? ImGuiCol_CheckMark : ImGuiCol_Text));
  const bool pressed = ImGui::Button(word, size);
  ImGui::PopStyleColor();
  mark_item(ui, std::string("button ") + word);
  return pressed;
}

double word_button_width(const std::string& word) {
  return static_cast<double>(ImGui::CalcTextSize(word.c_str()).x +
                             2 * ImGui::GetStyle().FramePadding.x);
}

}  // namespace orrery
