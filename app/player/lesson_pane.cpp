#include "app/player/lesson_pane.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <exception>

#include "app/gui/imgui_shim.h"
#include "app/player/lesson_text.h"
#include "app/player/prediction_box.h"
#include "app/player/sheets.h"
#include "experiments/figure/equation/plain_text.h"

namespace orrery {
namespace {

// Lengths at scale 1.
constexpr double best_width = 368, least_width = 220;
constexpr double max_share = 0.38;  // of the window
constexpr double bar_height = 9, bar_room = 20, bar_gap = 3;
constexpr double box_indent = 12, box_gap = 10;
constexpr double board_gap = 8, most_board_share = 0.18;  // of the pane's height

/// A part of the step apart from its prose: a heading, and a rule at its left in a colour.
class Box {
 public:
  Box(const char* heading, Color color, const Ui& ui) : color_(color), ui_(ui) {
    ImGui::Dummy(ImVec2(0, ui.px(2)));
    top_ = ImGui::GetCursorScreenPos();
    ImGui::Indent(ui.px(box_indent));
    ImGui::BeginGroup();
    text_colored(color, heading);
  }
  ~Box() {
    ImGui::EndGroup();
    const float bottom = ImGui::GetItemRectMax().y;
    ImGui::Unindent(ui_.px(box_indent));
    ImGui::GetWindowDrawList()->AddRectFilled(top_, ImVec2(top_.x + ui_.px(3), bottom),
                                              shim::packed(color_), ui_.px(1));
    ImGui::Dummy(ImVec2(0, ui_.px(box_gap)));
  }
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;

 private:
  Color color_;
  const Ui& ui_;
  ImVec2 top_{};
};

void draw_task(const Director& director, const LessonTask& task, double width, const Ui& ui) {
  const Director::Findings& found = director.findings();
  const bool holds = found.task && found.task->holds;
  const Color color = holds ? holds_color(ui.style) : accent_text_color(ui.style);
  const Box box(holds ? "Done ✓" : "Do", color, ui);
  draw_words(ui, task.goal, width);
  mark_item(ui, holds ? "task done" : "task");
  if (!holds && !found.hint.empty()) quiet_words(ui, found.hint, width);
}

void draw_card(const LessonStep& step, double width, const Ui& ui) {
  const Box box("To keep", holds_color(ui.style), ui);
  draw_words(ui, step.card->statement, width);
  const std::string command = command_of(step.state);
  ImGui::Dummy(ImVec2(0, ui.px(3)));
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  verbatim_words(ui, command, width);
  ImGui::PopStyleColor();
  if (ImGui::SmallButton("Copy the command")) ImGui::SetClipboardText(command.c_str());
}

void draw_problems(const Director& director, double width, const Ui& ui) {
  const auto& problems = director.player().problems();
  const std::string& trouble = director.findings().trouble;
  if (problems.empty() && trouble.empty()) return;
  const Box box("The lesson's file", fails_color(ui.style), ui);
  for (const Problem& problem : problems) {
    verbatim_words(ui, problem.text(), width);
    mark_item(ui, fmt::format("problem {}", problem.line));
  }
  if (!trouble.empty()) verbatim_words(ui, trouble, width);
}

void draw_sandbox(double width, const Ui& ui) {
  const Box box("Exploring freely", accent_text_color(ui.style), ui);
  draw_words(ui,
             "Change whatever you like: all settings are at the right, and every view can be "
             "chosen. The step stays as you left it.",
             width);
}

bool wide_button(const char* label, double width, const Ui& ui) {
  const bool pressed = ImGui::Button(label, ImVec2(static_cast<float>(width), 0));
  mark_item(ui, std::string("button ") + label);
  return pressed;
}

/// One segment per step. A click or a drag shows any of them: nothing is locked.
void draw_bar(Director& director, double width, const Ui& ui) {
  const std::size_t count = director.player().size();
  if (count == 0) return;
  const Point at = shim::point(ImGui::GetCursorScreenPos());
  ImGui::InvisibleButton("steps", shim::vec({width, bar_room * ui.scale}));
  mark_item(ui, "steps");
  const double each = width / static_cast<double>(count);
  const double top = at.y + (bar_room - bar_height) / 2 * ui.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < count; ++i) {
    const double x = at.x + each * static_cast<double>(i);
    const bool here = i == director.player().at(), past = i < director.player().at();
    const Color color = here   ? ui.style.accent
                        : past ? with_alpha(ui.style.accent, 0.45)
                               : with_alpha(ui.style.muted, 0.35);
    list.AddRectFilled(shim::vec({x, top}),
                       shim::vec({x + each - bar_gap * ui.scale, top + bar_height * ui.scale}),
                       shim::packed(color), ui.px(3));
  }
  const double along = (static_cast<double>(ImGui::GetIO().MousePos.x) - at.x) / each;
  const auto pointed =
      static_cast<std::size_t>(std::clamp(along, 0.0, static_cast<double>(count) - 1));
  if (ImGui::IsItemHovered())
    show_tooltip(
        ui, fmt::format("{}  {}", pointed + 1, director.player().lesson().steps[pointed].title));
  if (ImGui::IsItemActive()) director.go_to(pointed);
}

void draw_head(Director& director, double width, const Ui& ui) {
  const Lesson& lesson = director.player().lesson();
  const std::string words = plain_text(lesson.title);
  const std::string title = lesson.number > 0 ? fmt::format("{}  {}", lesson.number, words) : words;
  const float close = ImGui::GetFrameHeight();
  ImGui::AlignTextToFramePadding();
  const float room = static_cast<float>(width) - close - ui.px(6);
  const bool fits = ImGui::CalcTextSize(title.c_str()).x <= room;
  text_muted(fits ? title : shortened(title, room));
  tooltip(ui, fmt::format("{}\nIt takes away: “{}”", lesson.title, lesson.misconception));
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - close);
  if (ImGui::Button("×", ImVec2(close, 0))) director.leave();
  mark_item(ui, "button Leave");
  tooltip(ui, "Leaves the lesson; everything is as it was before. Esc");
  if (director.is_open()) draw_bar(director, width, ui);
}

void draw_foot(Director& director, double width, const Ui& ui) {
  if (!director.is_open()) return;
  const Player& player = director.player();
  const double gap = 6 * ui.scale, half = (width - gap) / 2;
  if (player.explores()) {
    if (wide_button("Back to the step", width, ui)) director.come_back();
    text_muted("Space: back to the step");
    return;
  }
  if (wide_button("Back", half, ui)) director.back();
  tooltip(ui, "Backspace or ←");
  ImGui::SameLine(0, static_cast<float>(gap));
  const bool last = player.at() + 1 >= player.size();
  const char* on = player.hides() ? "Reveal ␣" : last ? "The last step" : "Next ␣";
  if (wide_button(player.hides() ? "Reveal##next" : last ? "End##next" : "Next", half, ui))
    last && !player.hides() ? director.leave() : director.next();
  tooltip(ui, on);
  if (!director.is_open()) return;
  if (wide_button("Explore freely", half, ui)) director.explore();
  tooltip(ui, "Shows all settings and views in a sandbox; the step waits. E");
  ImGui::SameLine(0, static_cast<float>(gap));
  if (wide_button("Start the step again", half, ui)) director.restart();
  tooltip(ui, "Sets what the step set.");
  text_muted(fmt::format("{} of {}", player.at() + 1, player.size()));
  const std::string keys = "Space: on   ←: back   Esc: leave";
  const float wide = ImGui::CalcTextSize(keys.c_str()).x;
  const float used = ImGui::GetItemRectSize().x + ui.px(8);
  if (used + wide > static_cast<float>(width)) return;
  ImGui::SameLine(0, static_cast<float>(width) - ImGui::GetItemRectSize().x - wide);
  text_muted(keys);
}

}  // namespace

double pane_width(double window_width, double scale) {
  const double wanted = std::min(best_width * scale, max_share * window_width);
  return std::max(wanted, std::min(least_width, window_width / 2));
}

std::string LessonPane::draw(Director& director, const Rect& area, const SymbolLink& shown,
                             SymbolLink& next, const Ui& ui) {
  // Arrow keys turn pages here; they do not move a focus.
  begin_column("lesson", area, raised_color(ui.style),
               ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollbar |
                   ImGuiWindowFlags_NoScrollWithMouse);
  const double width = static_cast<double>(ImGui::GetContentRegionAvail().x);
  draw_head(director, width, ui);
  has_exercise_ = director.shows_step() && director.player().step().exercise;
  const Scoreboard board = director.scoreboard();
  const float foot = 2 * ImGui::GetFrameHeightWithSpacing() + ImGui::GetTextLineHeight() +
                     ui.px(8) + static_cast<float>(board_height(board, ui));
  const float room = std::max(1.0f, ImGui::GetContentRegionAvail().y - foot);
  std::string link;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, ImVec4(0, 0, 0, 0));
  if (ImGui::BeginChild("step", ImVec2(0, room), false,
                        ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoSavedSettings)) {
    const std::string step =
        fmt::format("{} {}", director.player().lesson().name, director.player().at());
    if (step != step_shown_) {
      ImGui::SetScrollY(0);
      answer_open_ = false;
      board_open_.reset();
      was_revealed_ = director.player().size() > 0 && director.player().work().revealed;
      step_shown_ = step;
    }
    // The scroll bar has its room whether it is there or not, so that no line is broken anew.
    if (const double pages = director.take_scroll(); pages != 0)
      ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(pages) * room);
    const double text = width - static_cast<double>(ImGui::GetStyle().ScrollbarSize);
    link = draw_step(director, shown, next, text, ui);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  draw_board(board, width, ui);
  draw_foot(director, width, ui);
  ImGui::EndChild();
  return link;
}

std::string LessonPane::draw_step(Director& director, const SymbolLink& shown, SymbolLink& next,
                                  double width, const Ui& ui) {
  const double inside = width - box_indent * ui.scale;
  if (director.is_open() && director.player().explores()) {
    draw_sandbox(inside, ui);
    return {};
  }
  draw_problems(director, inside, ui);
  if (!director.shows_step()) return {};
  const LessonStep& step = director.player().step();
  ImGui::PushFont(ui.fonts.title());
  draw_rich_text(ui, step.title, width);
  ImGui::PopFont();
  mark_item(ui, "step title");
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  LessonText text(step, shown, next, width, ui);
  for (const Prose& prose : step.prose) text.draw(prose);
  for (const Equation& formula : step.formulas) text.draw(formula);
  if (step.prediction) {
    const Box box("Predict", accent_text_color(ui.style), ui);
    draw_prediction(director, inside, ui);
    // The answer comes into sight where the text is longer than its room.
    const bool revealed = director.player().work().revealed;
    if (revealed && !was_revealed_) ImGui::SetScrollHereY(1.0f);
    was_revealed_ = revealed;
  }
  if (step.task) draw_task(director, *step.task, inside, ui);
  for (const std::string& remark : new_remarks(director.scoreboard()))
    quiet_words(ui, "Scoreboard. " + remark, width);
  if (step.card) draw_card(step, inside, ui);
  if (step.exercise) draw_exercise(*step.exercise, inside, ui);
  const std::string& link = text.clicked();
  constexpr std::string_view to_lesson = "lesson:";
  if (link.compare(0, to_lesson.size(), to_lesson) != 0) return link;
  try {
    director.open(link.substr(to_lesson.size()));
    return {};
  } catch (const std::exception&) {
    return link;
  }
}

void LessonPane::draw_exercise(const Exercise& exercise, double width, const Ui& ui) {
  const Box box("Exercise", accent_text_color(ui.style), ui);
  draw_words(ui, exercise.task, width);
  if (exercise.answer.empty()) return;
  if (ImGui::SmallButton(answer_open_ ? "Hide the answer" : "Show the answer"))
    answer_open_ = !answer_open_;
  if (answer_open_) quiet_words(ui, exercise.answer, width);
}

bool LessonPane::shows_board(const Scoreboard& board) const {
  // A small window keeps its room for the text, and every window for an exercise.
  const double room = static_cast<double>(ImGui::GetWindowHeight());
  const bool fits = !has_exercise_ && scoreboard_height(board) < most_board_share * room;
  return board_open_.value_or(board.has_news() && fits);
}

double LessonPane::board_height(const Scoreboard& board, const Ui& ui) const {
  if (board.is_empty()) return 0;
  const double line = static_cast<double>(ImGui::GetFrameHeightWithSpacing());
  return line + (shows_board(board) ? scoreboard_height(board) + board_gap * ui.scale : 0);
}

/// The scoreboard stands beneath every step of its course: folded, or open where a step settles
/// some of it.
void LessonPane::draw_board(const Scoreboard& board, double width, const Ui& ui) {
  if (board.is_empty()) return;
  const bool open = shows_board(board);
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, ImVec2(0, 0.5f));
  const std::string head = fmt::format("{} Scoreboard: {} of {} boxes settled##scoreboard",
                                       open ? "▾" : "▸", board.settled(), board.cells.size());
  if (ImGui::Button(head.c_str(), ImVec2(static_cast<float>(width), 0))) board_open_ = !open;
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  mark_item(ui, "button Scoreboard");
  tooltip(ui, "Shows or hides the scoreboard here. B shows it large.");
  if (!open) return;
  draw_scoreboard(board, width, ui);
  ImGui::Dummy(ImVec2(0, ui.px(2)));
}

}  // namespace orrery
