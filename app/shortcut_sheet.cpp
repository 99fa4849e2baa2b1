#include "app/shortcut_sheet.h"

#include <imgui.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "app/actions.h"
#include "app/imgui_shim.h"
#include "app/theme.h"
#include "app/views/figure_keys.h"

namespace orrery {
namespace {

constexpr double kWidth = 1180;
constexpr double kThreeColumns = 960;
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

// What the hand does outside of figures.
constexpr std::array kGestures{
    FigureShortcut{"right click a control", "its default"},
    FigureShortcut{"Ctrl+click a slider", "type its number"},
    FigureShortcut{"point at a symbol", "what it means, and its control"},
    FigureShortcut{"drop a file or folder", "read it where it fits"},
};

void draw_gestures(std::string_view title, std::span<const FigureShortcut> gestures, const Ui& ui) {
  heading(title, ui);
  for (const FigureShortcut& gesture : gestures) {
    text(gesture.keys);
    ImGui::SameLine(ui.px(156));
    ImGui::PushTextWrapPos(0.0f);
    text_muted(gesture.does);
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
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > ui.px(kThreeColumns) ? 3 : room > ui.px(kTwoColumns) ? 2 : 1;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(14), 0));
  if (ImGui::BeginTable("sheet", columns, ImGuiTableFlags_SizingStretchSame)) {
    const std::vector<std::string_view> names = groups();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == 0 || i == (names.size() + 1) / 2) ImGui::TableNextColumn();
      draw_group(names[i], ui);
    }
    if (columns == 3) ImGui::TableNextColumn();
    draw_gestures("Figures", figure_shortcuts(), ui);
    draw_gestures("Elsewhere", kGestures, ui);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  end();
}

}  // namespace orrery
