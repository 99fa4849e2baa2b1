#include "app/dialogs/pair_dialog.h"

#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>
#include <string>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"

namespace orrery {
namespace {

constexpr double pair_dialog_width = 560;

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool draw_pair(const Session& session, const DroppedPair& pair, const Ui& ui) {
  const ExperimentInfo& info = session.state(pair.experiment).experiment->info;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  const bool pressed =
      ImGui::Selectable(fmt::format("##{}", info.name).c_str(), false,
                        ImGuiSelectableFlags_DontClosePopups, ImVec2(0, 2 * line + ui.px(10)));
  mark_item(ui, "pair " + pair.params->first);
  const ImVec2 after = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(ImVec2(at.x + ui.px(8), at.y + ui.px(4)));
  draw_text(fmt::format("{} = {}, {} = {}", pair.params->first, name_of(pair.first),
                        pair.params->second, name_of(pair.second)));
  ImGui::SetCursorScreenPos(ImVec2(at.x + ui.px(8), at.y + ui.px(4) + line));
  text_muted(info.title);
  ImGui::SetCursorScreenPos(after);
  return pressed;
}

}  // namespace

void PairDialog::ask(std::vector<DroppedPair> pairs) {
  pairs_ = std::move(pairs);
  open();
}

std::optional<DroppedPair> PairDialog::draw(const Session& session, const Ui& ui) {
  constexpr const char* heading = "What are these two files?";
  if (!is_open() || !begin(heading, pair_dialog_width, 0, ui)) return std::nullopt;
  ImGui::PushFont(ui.fonts.title());
  draw_text(heading);
  ImGui::PopFont();
  std::optional<DroppedPair> chosen;
  if (just_opened()) shim::focus_next_item();
  for (const DroppedPair& pair : pairs_)
    if (draw_pair(session, pair, ui)) chosen = pair;
  if (ImGui::Button("Cancel")) close();
  if (chosen) close();
  end();
  return chosen;
}

}  // namespace orrery
