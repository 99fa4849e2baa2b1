#include "app/player/lesson_sheet.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <exception>

#include "app/gui/imgui_shim.h"
#include "experiments/lessons/library.h"

namespace orrery::player {
namespace {

constexpr double sheet_width = 980, card_gap = 8, card_padding = 10;

bool draw_card(const LessonCard& card, float width, const Ui& ui) {
  const float padding = ui.px(card_padding);
  const double room = static_cast<double>(width - 2 * padding);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string heading = fmt::format("{}  {}", card.number, card.title);
  const std::string about =
      fmt::format("“{}”\n{} min, {} steps", card.misconception, card.minutes, card.steps);
  const auto high = static_cast<float>(rich_height(ui, heading, room));
  const float height = high + static_cast<float>(rich_height(ui, about, room)) + 2.5f * padding;
  const bool pressed = ImGui::Selectable("##card", true, 0, ImVec2(width, height));
  mark_item(ui, "lesson " + card.file.stem().string());
  ImGui::SetCursorScreenPos(ImVec2(at.x + padding, at.y + padding));
  draw_rich_text(ui, heading, room);
  ImGui::SetCursorScreenPos(ImVec2(at.x + padding, at.y + high + 1.5f * padding));
  rich_muted(ui, about, room);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + ui.px(card_gap)));
  return pressed;
}

}  // namespace

std::vector<LessonCard> lesson_cards() {
  std::vector<LessonCard> cards;
  for (const std::filesystem::path& file : lessons::bundled_lessons()) {
    try {
      const lessons::Lesson lesson = lessons::read_lesson(file).lesson;
      cards.push_back({file, lesson.number, lesson.title, lesson.misconception, lesson.minutes,
                       lesson.steps.size()});
    } catch (const std::exception&) {
      continue;
    }
  }
  return cards;
}

std::optional<std::filesystem::path> LessonSheet::draw(const Ui& ui) {
  if (!is_open() || !begin("Lessons", sheet_width, 0, ui)) return std::nullopt;
  if (just_opened()) cards_ = lesson_cards();
  std::optional<std::filesystem::path> chosen;
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > ui.px(640) ? 2 : 1;
  if (ImGui::BeginTable("##lessons", columns, ImGuiTableFlags_SizingStretchSame)) {
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(i));
      if (i == 0 && just_opened()) shim::focus_next_item();
      if (draw_card(cards_[i], ImGui::GetContentRegionAvail().x, ui)) chosen = cards_[i].file;
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (chosen) close();
  end();
  return chosen;
}

}  // namespace orrery::player
