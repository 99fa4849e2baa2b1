#include "app/player/scoreboard_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"
#include "app/player/lesson_text.h"

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

}  // namespace orrery
