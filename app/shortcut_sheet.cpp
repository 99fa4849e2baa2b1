#include "app/shortcut_sheet.h"

#include <imgui.h>

#include <string_view>
#include <vector>

#include "app/actions.h"
#include "app/imgui_shim.h"
#include "app/theme.h"

namespace orrery {
namespace {

constexpr double kWidth = 900;
constexpr double kTwoColumns = 640;  ///< with less room, one column that scrolls

void heading(std::string_view words, const Ui& ui) {
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  text_colored(accent_text_color(ui.style), words);
}

void draw_action(const Action& action, const Ui& ui) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  float left = right;
  for (auto shortcut = action.shortcuts.rbegin(); shortcut != action.shortcuts.rend(); ++shortcut) {
    if (!shortcut->silent) left = key_cap(ui, shortcut_text(*shortcut), left) - ui.px(5);
  }
  text(action.title);
  tooltip(ui, action.about);
}

void draw_gestures(const Ui& ui) {
  heading("Mouse", ui);
  for (const Gesture& gesture : gesture_table()) {
    text(gesture.hand);
    ImGui::SameLine(ui.px(170));
    ImGui::PushTextWrapPos(0.0f);
    text_muted(gesture.about);
    ImGui::PopTextWrapPos();
  }
}

std::vector<std::string_view> groups() {
  std::vector<std::string_view> names;
  for (const Action& action : action_table())
    if (names.empty() || names.back() != action.group) names.push_back(action.group);
  return names;
}

void draw_group(std::string_view group, const Ui& ui) {
  heading(group, ui);
  for (const Action& action : action_table())
    if (action.group == group && !action.shortcuts.empty()) draw_action(action, ui);
}

}  // namespace

void ShortcutSheet::draw(const Ui& ui) {
  if (!is_open() || !begin("Keys and gestures", kWidth, 0, ui)) return;
  ImGui::PushFont(ui.fonts.title());
  text("Keys and gestures");
  ImGui::PopFont();
  const bool two = ImGui::GetContentRegionAvail().x > ui.px(kTwoColumns);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(14), 0));
  if (ImGui::BeginTable("sheet", two ? 2 : 1, ImGuiTableFlags_SizingStretchSame)) {
    const std::vector<std::string_view> names = groups();
    // The long groups stand at the left, the gestures end the right column.
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == 0 || i == (names.size() + 1) / 2) ImGui::TableNextColumn();
      draw_group(names[i], ui);
    }
    draw_gestures(ui);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  end();
}

}  // namespace orrery
