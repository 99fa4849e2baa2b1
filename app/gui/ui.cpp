#include "app/gui/ui.h"

#include <utility>

#include "app/gui/imgui_shim.h"
#include "experiments/text/bidi.h"
#include "experiments/text/utf8.h"

namespace orrery::gui {

void draw_text(std::string_view utf8) {
  const std::string shown = in_visual_order(utf8);
  ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
}

void text_colored(Color color, std::string_view utf8) {
  ImGui::PushStyleColor(ImGuiCol_Text, shim::floats(color));
  draw_text(utf8);
  ImGui::PopStyleColor();
}

void text_muted(std::string_view utf8) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  draw_text(utf8);
  ImGui::PopStyleColor();
}

void mark_item(const Ui& ui, std::string name) {
  if (!ui.item_rects) return;
  const Point from = shim::point(ImGui::GetItemRectMin()),
              to = shim::point(ImGui::GetItemRectMax());
  ui.item_rects->mark(std::move(name), {from.x, from.y, to.x - from.x, to.y - from.y});
}

float key_cap(const Ui& ui, std::string_view keys, float right) {
  ImGui::PushFont(ui.fonts.small());
  const ImVec2 size = ImGui::CalcTextSize(keys.data(), keys.data() + keys.size());
  const float inside = ui.px(6), height = size.y + ui.px(4);
  const float left = right - size.x - 2 * inside;
  const float top = ImGui::GetCursorScreenPos().y + (ImGui::GetTextLineHeight() - size.y) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from(left, top - ui.px(2)), to(right, top - ui.px(2) + height);
  list.AddRectFilled(from, to, ImGui::GetColorU32(ImGuiCol_FrameBg), ui.px(4));
  shim::add_frame(list, from, to, ImGui::GetColorU32(ImGuiCol_Border), ui.px(4), 1.0f);
  list.AddText(ImVec2(left + inside, top), ImGui::GetColorU32(ImGuiCol_TextDisabled), keys.data(),
               keys.data() + keys.size());
  ImGui::PopFont();
  return left;
}

std::string shortened(const std::string& words, float room) {
  std::string kept;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t next = at + character_length(words, at);
    const std::string longer = words.substr(0, next) + "…";
    if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
    kept = longer;
    at = next;
  }
  return kept;
}

void tooltip(const Ui& ui, std::string_view utf8) {
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) show_tooltip(ui, utf8);
}

void show_tooltip(const Ui& ui, std::string_view utf8) {
  shim::begin_tooltip();
  ImGui::PushTextWrapPos(ui.px(340));
  draw_text(utf8);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace orrery::gui
