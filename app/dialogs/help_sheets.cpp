#include "app/dialogs/help_sheets.h"

#include <imgui.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "app/gui/imgui_shim.h"
#include "app/views/gestures.h"
#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

constexpr double sheet_width = 980, card_gap = 8, card_padding = 10;

/// Draws a card over the width of the column. Returns whether it was clicked.
bool draw_card(const AskedQuestion& asked, float width, const Ui& ui) {
  const Question& question = *asked.question;
  const float padding = ui.px(card_padding), room = width - 2 * padding;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto height_of = [&](const std::string& marked) {
    return static_cast<float>(rich_height(ui, marked, static_cast<double>(room)));
  };
  const float heading = height_of(question.words);
  const float height = heading + height_of(question.answer) + 2.5f * padding;
  const bool pressed = ImGui::Selectable("##card", true, 0, ImVec2(width, height));
  mark_item(ui, "question " + asked.experiment->info.name);
  ImGui::SetCursorScreenPos(ImVec2(at.x + padding, at.y + padding));
  draw_rich_text(ui, question.words, static_cast<double>(room));
  ImGui::SetCursorScreenPos(ImVec2(at.x + padding, at.y + heading + 1.5f * padding));
  rich_muted(ui, question.answer, static_cast<double>(room));
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + ui.px(card_gap)));
  return pressed;
}

constexpr double shortcuts_width = 1180;
constexpr double three_columns = 960;
constexpr double two_columns = 640;  ///< with less room, one column that scrolls

void heading(std::string_view words, const Ui& ui) {
  ImGui::Dummy(ImVec2(0, ui.px(2)));
  text_colored(accent_text_color(ui.style), words);
}

void draw_action(const Action& action, const Ui& ui) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  float left = right;
  for (auto shortcut = action.shortcuts.rbegin(); shortcut != action.shortcuts.rend(); ++shortcut) {
    if (!shortcut->silent) left = key_cap(ui, shortcut_text(*shortcut), left) - ui.px(5);
  }
  draw_text(action.title);
  mark_item(ui, "shortcut " + std::string(action.name));
  tooltip(ui, action.about);
}

// Mouse gestures outside of figures.
constexpr std::array gesture_list{
    FigureShortcut{"Right-click a control", "resets it to its default"},
    FigureShortcut{"Drag a slider", "keeps the curve from before"},
    FigureShortcut{"Shift+drag a slider", "sweeps it: a curve per value"},
    FigureShortcut{"Ctrl+click a slider", "lets you type a number"},
    FigureShortcut{"Alt+drag a slider", "moves it finely, as does dragging beside it"},
    FigureShortcut{"Point at a symbol", "explains it and highlights its control"},
    FigureShortcut{"Drop a file or folder", "opens it"},
};

void draw_gestures(std::string_view title, std::span<const FigureShortcut> gestures, const Ui& ui) {
  heading(title, ui);
  for (const FigureShortcut& gesture : gestures) {
    draw_text(gesture.keys);
    mark_item(ui, "gesture " + std::string(gesture.keys));
    ImGui::SameLine(ui.px(156));
    ImGui::PushTextWrapPos(0.0f);
    text_muted(gesture.does);
    ImGui::PopTextWrapPos();
  }
}

std::vector<std::string_view> groups(const Actions& actions) {
  std::vector<std::string_view> names;
  for (const Action& action : actions)
    if (names.empty() || names.back() != action.group) names.push_back(action.group);
  return names;
}

void draw_group(const Actions& actions, std::string_view group, const Ui& ui) {
  heading(group, ui);
  for (const Action& action : actions)
    if (action.group == group && !action.shortcuts.empty()) draw_action(action, ui);
}

/// Lines that a group takes, its heading counted as two.
std::size_t lines_of(const Actions& actions, std::string_view group) {
  std::size_t lines = 2;
  for (const Action& action : actions)
    if (action.group == group && !action.shortcuts.empty()) ++lines;
  return lines;
}

/// How many of the groups stand in the first of two columns, so that both are about as high.
std::size_t groups_in_first(const Actions& actions, const std::vector<std::string_view>& names) {
  std::size_t all = 0, first = 0, count = 0;
  for (const std::string_view name : names) all += lines_of(actions, name);
  while (count < names.size()) {
    const std::size_t next = lines_of(actions, names[count]);
    if (2 * first + next > all) break;  // its middle lies in the second half
    first += next;
    ++count;
  }
  return count;
}

}  // namespace

const std::vector<AskedQuestion>& questions() {
  static const std::vector<AskedQuestion> all = [] {
    std::vector<AskedQuestion> list;
    for (const Experiment* experiment : experiment_catalogue())
      for (const Question& question : experiment->info.questions)
        list.push_back({experiment, &question});
    return list;
  }();
  return all;
}

std::optional<std::size_t> QuestionSheet::draw(const Ui& ui) {
  if (!is_open() || !begin("Questions", sheet_width, 0, ui)) return std::nullopt;
  std::optional<std::size_t> chosen;
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > ui.px(640) ? 2 : 1;
  if (ImGui::BeginTable("##cards", columns, ImGuiTableFlags_SizingStretchSame)) {
    for (std::size_t i = 0; i < questions().size(); ++i) {
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(i));
      if (draw_card(questions()[i], ImGui::GetContentRegionAvail().x, ui)) chosen = i;
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (chosen) close();
  end();
  return chosen;
}

void ShortcutSheet::draw(const Actions& actions, const Ui& ui) {
  if (!is_open() || !begin("Shortcuts and gestures", shortcuts_width, 0, ui)) return;
  draw_heading(ui, "Shortcuts and gestures");
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > ui.px(three_columns) ? 3 : room > ui.px(two_columns) ? 2 : 1;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(14), 0));
  if (ImGui::BeginTable("sheet", columns, ImGuiTableFlags_SizingStretchSame)) {
    const std::vector<std::string_view> names = groups(actions);
    const std::size_t in_first = groups_in_first(actions, names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == 0 || i == in_first) ImGui::TableNextColumn();
      draw_group(actions, names[i], ui);
    }
    if (columns == 3) ImGui::TableNextColumn();
    draw_gestures("Figures", figure_shortcuts(), ui);
    draw_gestures("Elsewhere", gesture_list, ui);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  end();
}

}  // namespace orrery
