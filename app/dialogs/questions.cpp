#include "app/dialogs/questions.h"

#include <imgui.h>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"
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

}  // namespace orrery
