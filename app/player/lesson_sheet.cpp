#include "app/player/lesson_sheet.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/gui/imgui_shim.h"
#include "experiments/lessons/library.h"

namespace orrery {
namespace {

constexpr double sheet_width = 980, card_gap = 8, card_padding = 10;

/// The lines that a text takes in a width.
std::vector<std::string> wrapped(const std::string& text, float width) {
  std::vector<std::string> lines;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const char* stop = ImGui::GetFont()->CalcWordWrapPositionA(
        ImGui::GetFontSize() / ImGui::GetFont()->FontSize, at, end, width);
    if (stop == at) stop = at + 1;
    lines.emplace_back(at, stop);
    at = stop;
    while (at < end && *at == ' ') ++at;
  }
  return lines;
}

/// What a lesson removes, each line with a stroke through it.
void draw_struck(const std::vector<std::string>& lines) {
  const ImU32 stroke = ImGui::GetColorU32(ImGuiCol_Text);
  for (const std::string& line : lines) {
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(line.c_str());
    const float y = at.y + 0.55f * size.y;
    text_muted(line);
    ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x, y), ImVec2(at.x + size.x, y), stroke);
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + ImGui::GetTextLineHeight()));
  }
}

/// "12 min, 9 steps", and how far it was read.
std::string extent_of(const LessonCard& card, const std::map<std::string, LessonProgress>& read) {
  std::string all = fmt::format("{} min, {} steps", card.minutes, card.steps);
  const auto progress = read.find(card.file.stem().string());
  if (progress == read.end()) return all;
  if (progress->second.step >= card.steps) return all + "  ·  ✓ read";
  return fmt::format("{}  ·  read to step {}", all, progress->second.step);
}

bool draw_card(const LessonCard& card, const std::map<std::string, LessonProgress>& read,
               float width, const Ui& ui) {
  const float padding = ui.px(card_padding), room = width - 2 * padding;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string heading = fmt::format("{}  {}", card.number, card.title);
  const std::vector<std::string> wrong = wrapped(card.misconception, room);
  const float line = ImGui::GetTextLineHeight(),
              high = static_cast<float>(rich_height(ui, heading, static_cast<double>(room))),
              height = high + line * (static_cast<float>(wrong.size()) + 1) + 2.75f * padding;
  const bool pressed = ImGui::Selectable("##card", true, 0, ImVec2(width, height));
  mark_item(ui, "lesson " + card.file.stem().string());
  float y = at.y + padding;
  const auto next_at = [&](float step) {
    ImGui::SetCursorScreenPos(ImVec2(at.x + padding, y));
    y += step;
  };
  next_at(high + 0.5f * padding);
  draw_rich_text(ui, heading, static_cast<double>(room));
  next_at(line * static_cast<float>(wrong.size()) + 0.25f * padding);
  draw_struck(wrong);
  next_at(line);
  text_muted(extent_of(card, read));
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + ui.px(card_gap)));
  return pressed;
}

}  // namespace

std::vector<LessonCard> lesson_cards() {
  std::vector<LessonCard> cards;
  for (const auto& [file, lesson] : readable_lessons())
    cards.push_back({file, lesson.number, lesson.title, lesson.misconception, lesson.minutes,
                     lesson.steps.size()});
  return cards;
}

std::size_t next_step(const LessonCard& card, const std::map<std::string, LessonProgress>& read) {
  const auto progress = read.find(card.file.stem().string());
  if (progress == read.end() || progress->second.step >= card.steps) return 0;
  return progress->second.step - 1;
}

std::optional<LessonSheet::Chosen> LessonSheet::draw(
    const std::map<std::string, LessonProgress>& read, const Ui& ui) {
  if (!is_open() || !begin("Lessons", sheet_width, 0, ui)) return std::nullopt;
  if (just_opened()) cards_ = lesson_cards();
  std::optional<Chosen> chosen;
  text_muted("Struck through: what a lesson takes away. A lesson goes on where it was left.");
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > ui.px(640) ? 2 : 1;
  if (ImGui::BeginTable("##lessons", columns, ImGuiTableFlags_SizingStretchSame)) {
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(i));
      if (i == 0 && just_opened()) shim::focus_next_item();
      if (draw_card(cards_[i], read, ImGui::GetContentRegionAvail().x, ui))
        chosen = {cards_[i].file, next_step(cards_[i], read)};
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (chosen) close();
  end();
  return chosen;
}

}  // namespace orrery
