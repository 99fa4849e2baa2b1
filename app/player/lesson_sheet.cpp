#include "app/player/sheets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/gui/imgui_shim.h"
#include "app/player/lesson_text.h"
#include "experiments/lessons/library.h"

namespace orrery {
namespace {

constexpr double row_lines = 1.35;  // of the current font
constexpr double name_gap = 8;
constexpr double scoreboard_width = 760;

double row_height() { return row_lines * static_cast<double>(ImGui::GetTextLineHeight()); }

void draw_at(double x, double y, Color color, const std::string& words) {
  ImGui::GetWindowDrawList()->AddText(shim::vec({x, y}), shim::packed(color), words.c_str());
}

void draw_centred(const Rect& cell, Color color, const std::string& words) {
  const double line = static_cast<double>(ImGui::GetTextLineHeight());
  draw_at(cell.x + (cell.width - text_width(words)) / 2, cell.y + (cell.height - line) / 2, color,
          words);
}

Color color_of(const Scoreboard::Cell& cell, const Ui& ui) {
  if (cell.mark == WishTick::Mark::no) return fails_color(ui.style);
  return cell.mark == WishTick::Mark::yes ? holds_color(ui.style) : accent_text_color(ui.style);
}

/// Why a box is marked as it is: "RoPE: only the distance counts? (✓), in lesson 12, step 1".
std::string explained(const Scoreboard& board, std::size_t code, std::size_t wish) {
  const Scoreboard::Cell& cell = board.at(code, wish);
  std::string words = fmt::format("{}, {}: {}", board.codes[code].text, board.wishes[wish].key,
                                  board.wishes[wish].text);
  if (!cell.is_settled) return words + "\nNot settled yet.";
  words += fmt::format("\n{}  {}", mark_text(cell), cell.where);
  return cell.remark.empty() ? words : words + "\n" + cell.remark;
}

struct Columns {
  double names{};
  double each{};
  bool has_heads{};  ///< whether the wishes' keys fit; else they are numbered
};

Columns columns_of(const Scoreboard& board, double width, const Ui& ui) {
  Columns columns;
  for (const BoardEntry& code : board.codes)
    columns.names = std::max(columns.names, text_width(code.text));
  columns.names += name_gap * ui.scale;
  columns.each = std::max(1.0, (width - columns.names) / static_cast<double>(board.wishes.size()));
  columns.has_heads = std::all_of(board.wishes.begin(), board.wishes.end(), [&](const auto& wish) {
    return text_width(wish.key) + 4 * ui.scale <= columns.each;
  });
  return columns;
}

void draw_heads(const Scoreboard& board, const Columns& columns, Point at, const Ui& ui) {
  for (std::size_t wish = 0; wish < board.wishes.size(); ++wish) {
    const Rect head{at.x + columns.names + columns.each * static_cast<double>(wish), at.y,
                    columns.each, row_height()};
    const std::string words =
        columns.has_heads ? board.wishes[wish].key : fmt::format("{}", wish + 1);
    draw_centred(head, ui.style.muted, words);
    if (ImGui::IsWindowHovered() && head.contains(shim::point(ImGui::GetIO().MousePos)))
      show_tooltip(ui, fmt::format("Wish {}: {}", wish + 1, board.wishes[wish].text));
  }
}

void draw_box(const Scoreboard& board, std::size_t code, std::size_t wish, const Rect& cell,
              const Ui& ui) {
  const Scoreboard::Cell& box = board.at(code, wish);
  const double gap = 1.5 * ui.scale;
  const Rect inside{cell.x + gap, cell.y + gap, cell.width - 2 * gap, cell.height - 2 * gap};
  const Color frame = box.is_new ? ui.style.accent : with_alpha(ui.style.muted, 0.35);
  shim::add_frame(*ImGui::GetWindowDrawList(), shim::vec({inside.x, inside.y}),
                  shim::vec({inside.right(), inside.bottom()}), shim::packed(frame), ui.px(3),
                  box.is_new ? ui.px(2) : 1.0f);
  if (box.is_settled) draw_centred(cell, color_of(box, ui), mark_text(box));
  if (ui.item_rects)
    ui.item_rects->mark(fmt::format("box {} {}", board.codes[code].key, board.wishes[wish].key),
                        cell);
  if (ImGui::IsWindowHovered() && cell.contains(shim::point(ImGui::GetIO().MousePos)))
    show_tooltip(ui, explained(board, code, wish));
}

/// What the sheet says beneath the boxes.
void draw_legend(const Scoreboard& board, double width, const Ui& ui) {
  for (const BoardEntry& wish : board.wishes)
    draw_rich_text(ui, fmt::format("{}: {}", wish.key, wish.text), width);
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  for (std::size_t code = 0; code < board.codes.size(); ++code)
    for (std::size_t wish = 0; wish < board.wishes.size(); ++wish) {
      const Scoreboard::Cell& cell = board.at(code, wish);
      if (cell.remark.empty()) continue;
      quiet_words(ui,
                  fmt::format("{}, {}: {} ({})", board.codes[code].text, board.wishes[wish].key,
                              cell.remark, cell.where),
                  width);
    }
}

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
std::string extent_of(const LessonSheet::Card& card,
                      const std::map<std::string, LessonProgress>& read) {
  std::string all = fmt::format("{} min, {} steps", card.minutes, card.steps);
  const auto progress = read.find(card.file.stem().string());
  if (progress == read.end()) return all;
  if (progress->second.step >= card.steps) return all + "  ·  ✓ read";
  return fmt::format("{}  ·  read to step {}", all, progress->second.step);
}

bool draw_card(const LessonSheet::Card& card, const std::map<std::string, LessonProgress>& read,
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

/// The lessons that come with Orrery. A file that cannot be read is left out.
std::vector<LessonSheet::Card> lesson_cards() {
  std::vector<LessonSheet::Card> cards;
  for (const auto& [file, lesson] : readable_lessons())
    cards.push_back({file, lesson.number, lesson.title, lesson.misconception, lesson.minutes,
                     lesson.steps.size()});
  return cards;
}

}  // namespace

double scoreboard_height(const Scoreboard& board) {
  return row_height() * static_cast<double>(board.codes.size() + 1);
}

void draw_scoreboard(const Scoreboard& board, double width, const Ui& ui) {
  if (board.is_empty()) return;
  const Columns columns = columns_of(board, width, ui);
  const Point at = shim::point(ImGui::GetCursorScreenPos());
  const double row = row_height();
  draw_heads(board, columns, at, ui);
  for (std::size_t code = 0; code < board.codes.size(); ++code) {
    const double y = at.y + row * static_cast<double>(code + 1);
    const double line = static_cast<double>(ImGui::GetTextLineHeight());
    draw_at(at.x, y + (row - line) / 2, ui.style.text, board.codes[code].text);
    for (std::size_t wish = 0; wish < board.wishes.size(); ++wish)
      draw_box(
          board, code, wish,
          {at.x + columns.names + columns.each * static_cast<double>(wish), y, columns.each, row},
          ui);
  }
  ImGui::Dummy(shim::vec({width, scoreboard_height(board)}));
  mark_item(ui, "scoreboard");
}

void ScoreboardSheet::draw(const Scoreboard& board, const Ui& ui) {
  if (!is_open() || !begin("Scoreboard", scoreboard_width, 0, ui)) return;
  const double width = static_cast<double>(ImGui::GetContentRegionAvail().x);
  if (board.is_empty()) {
    draw_words(ui, "This lesson has no scoreboard, or none yet.", width);
  } else {
    draw_scoreboard(board, width, ui);
    ImGui::Dummy(ImVec2(0, ui.px(8)));
    draw_legend(board, width, ui);
  }
  end();
}

std::size_t next_step(const LessonSheet::Card& card,
                      const std::map<std::string, LessonProgress>& read) {
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
