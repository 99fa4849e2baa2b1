#include "app/dialogs/file_dialog.h"

#include <fmt/format.h>
#include <imgui.h>

#include <utility>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

constexpr double target_dialog_width = 560;

/// A choice of two lines, which `first` and `second` draw. Returns whether it was pressed.
template <class First, class Second>
bool draw_choice(const std::string& id, const std::string& mark, const First& first,
                 const Second& second, const Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  const bool pressed =
      ImGui::Selectable(fmt::format("##{}", id).c_str(), false,
                        ImGuiSelectableFlags_DontClosePopups, ImVec2(0, 2 * line + ui.px(10)));
  if (!mark.empty()) mark_item(ui, mark);
  const ImVec2 after = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(ImVec2(at.x + ui.px(8), at.y + ui.px(4)));
  first();
  ImGui::SetCursorScreenPos(ImVec2(at.x + ui.px(8), at.y + ui.px(4) + line));
  second();
  ImGui::SetCursorScreenPos(after);
  return pressed;
}

bool draw_target(const Session& session, const FileTarget& target, const Ui& ui) {
  const ParamSet& params = session.state(target.experiment).params;
  const ParamSpec& spec = params.spec(target.key);
  const std::string present = params.text(spec.key);
  const auto draw_key = [&] {
    draw_text(spec.key);
    ImGui::SameLine(0, ui.px(12));
    text_muted(present.empty() ? std::string("empty") : "currently " + present);
  };
  return draw_choice(
      spec.key, {}, draw_key, [&] { rich_muted(ui, spec.description); }, ui);
}

constexpr double pair_dialog_width = 560;

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool draw_pair(const Session& session, const DroppedPair& pair, const Ui& ui) {
  const ExperimentInfo& info = session.state(pair.experiment).experiment->info;
  const std::string words = fmt::format("{} = {}, {} = {}", pair.params->first, name_of(pair.first),
                                        pair.params->second, name_of(pair.second));
  return draw_choice(
      info.name, "pair " + pair.params->first, [&] { draw_text(words); },
      [&] { text_muted(info.title); }, ui);
}

}  // namespace

void TargetDialog::ask(std::string path, std::vector<FileTarget> targets) {
  path_ = std::move(path);
  targets_ = std::move(targets);
  open();
}

std::optional<FileTarget> TargetDialog::draw(const Session& session, const Ui& ui) {
  if (!is_open() || !begin("Assign file to parameter", target_dialog_width, 0, ui))
    return std::nullopt;
  draw_heading(ui, "Assign file to parameter");
  text_muted(std::filesystem::path(path_).filename().string());
  std::optional<FileTarget> chosen;
  std::optional<std::size_t> heading;
  for (const FileTarget& target : targets_) {
    if (heading != target.experiment) {
      ImGui::Dummy(ImVec2(0, ui.px(4)));
      text_colored(accent_text_color(ui.style),
                   session.state(target.experiment).experiment->info.title);
      heading = target.experiment;
      if (just_opened()) shim::focus_next_item();
    }
    ImGui::PushID(static_cast<int>(target.experiment));
    if (draw_target(session, target, ui)) chosen = target;
    ImGui::PopID();
  }
  if (ImGui::Button("Cancel")) close();
  if (chosen) close();
  end();
  return chosen;
}

void PairDialog::ask(std::vector<DroppedPair> pairs) {
  pairs_ = std::move(pairs);
  open();
}

std::optional<DroppedPair> PairDialog::draw(const Session& session, const Ui& ui) {
  constexpr const char* heading = "What are these two files?";
  if (!is_open() || !begin(heading, pair_dialog_width, 0, ui)) return std::nullopt;
  draw_heading(ui, heading);
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
