#include "app/player/prediction_box.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/imgui_shim.h"
#include "app/player/figure_marks.h"
#include "app/player/lesson_text.h"
#include "experiments/figure/plot/ticks.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double edge_share = 0.08;  // of the cover's width, left free at both ends
constexpr double box_share = 0.07;   // of the line's length, for its last number and unit
// Lengths at scale 1.
constexpr double tick_length = 6, tick_spacing = 90, label_gap = 12, mark_radius = 7, above = 44,
                 below = 40;
// Numbers over a range of at least this length are read as whole ones.
constexpr double whole_from = 20;

std::string unit_of(const GuessNumber& guess) { return guess.unit.empty() ? "" : " " + guess.unit; }

struct GuessLine {
  AxisMap numbers{};
  double y{};
};

/// Across the middle of `cover`.
GuessLine guess_line(const GuessNumber& guess, const Rect& cover) {
  const double edge = edge_share * cover.width;
  return {.numbers = {.data = {guess.from, guess.to},
                      .at_min = cover.x + edge,
                      .at_max = cover.right() - edge},
          .y = cover.y + cover.height / 2};
}

void draw_tick(Canvas& canvas, double at, const std::string& label, const GuessLine& line,
               const TextStyle& style, const Ui& ui) {
  const std::array stroke{Point{at, line.y}, Point{at, line.y + tick_length * ui.scale}};
  canvas.line_strip(stroke, {.color = ui.style.text, .width = ui.scale});
  canvas.text({at, line.y + (tick_length + 2) * ui.scale}, label, style);
}

/// Numbers below the line; the last one has the unit.
void draw_ticks(Canvas& canvas, const GuessLine& line, const GuessNumber& guess,
                const TextStyle& style, const Ui& ui) {
  const double left = line.numbers.at_min, right = line.numbers.at_max;
  const std::string last = last_number_words(guess);
  const auto extent = [&](std::string_view label) { return canvas.text_size(label, style).width; };
  const double gap = label_gap * ui.scale, taken = extent(last) / 2;
  const TickRoom room{.spacing = tick_spacing * ui.scale,
                      .gap = gap,
                      .bounds = {left - taken, right - taken - gap},
                      .extent = extent};
  for (const Tick& tick : choose_ticks(line.numbers, room).major)
    if (tick.at + extent(tick.label) / 2 + gap <= right - taken)
      draw_tick(canvas, tick.at, tick.label, line, style, ui);
  draw_tick(canvas, right, last, line, style, ui);
}

constexpr double option_padding = 5, tally_room = 82;
constexpr double guess_steps = 50;  // that the keyboard has across a range

/// A framed line that can be chosen. Returns whether it was clicked.
bool option_line(const std::string& words, std::size_t number, bool chosen, double width,
                 const Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float pad = ui.px(option_padding);
  const double room = width - 2 * static_cast<double>(pad);
  const float height = static_cast<float>(rich_height(ui, words, room)) + 2 * pad;
  ImGui::PushID(static_cast<int>(number));
  const bool pressed =
      ImGui::Selectable("##option", chosen, 0, ImVec2(static_cast<float>(width), height));
  ImGui::PopID();
  mark_item(ui, fmt::format("option {}", number + 1));
  shim::add_frame(*ImGui::GetWindowDrawList(), at,
                  ImVec2(at.x + static_cast<float>(width), at.y + height),
                  chosen ? shim::packed(ui.style.accent) : ImGui::GetColorU32(ImGuiCol_Border),
                  ui.px(4), chosen ? ui.px(2) : 1.0f);
  ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y + pad));
  draw_rich_text(ui, words, room);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + ui.px(4)));
  return pressed;
}

/// Hands of a class for an option, at the right of its line.
void draw_tally(Player& player, std::size_t option, double width, const Ui& ui) {
  const Player::Work& work = player.work();
  const std::size_t hands = option < work.tally.size() ? work.tally[option] : 0;
  ImGui::PushID(static_cast<int>(option));
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const ImVec2 line = ImGui::GetItemRectMin();
  ImGui::SetCursorScreenPos(
      ImVec2(after.x + static_cast<float>(width) - ui.px(tally_room) + ui.px(6), line.y));
  if (ImGui::SmallButton("−")) player.raise(option, -1);
  ImGui::SameLine(0, ui.px(4));
  draw_text(fmt::format("{}", hands));
  ImGui::SameLine(0, ui.px(4));
  if (ImGui::SmallButton("+")) player.raise(option);
  mark_item(ui, fmt::format("hand {}", option + 1));
  tooltip(ui, "Counts the hands of a class.");
  ImGui::SetCursorScreenPos(after);
  ImGui::PopID();
}

bool is_true(const Director& director, std::size_t option) {
  const Answer* truth = director.truth();
  return director.player().work().revealed && truth && option < truth->options.size() &&
         truth->options[option];
}

void draw_choose(Director& director, const ChooseOption& choose, double width, const Ui& ui) {
  Player& player = director.player();
  for (std::size_t i = 0; i < choose.options.size(); ++i) {
    const std::vector<bool>& mine = player.work().answer.options;
    const bool chosen = i < mine.size() && mine[i];
    const std::string words =
        fmt::format("{}  {}{}", i + 1, choose.options[i].label, is_true(director, i) ? "  ✓" : "");
    const bool pressed = option_line(words, i, chosen, width - tally_room * ui.scale, ui);
    draw_tally(player, i, width, ui);
    if (pressed) player.toggle_option(i);
  }
}

std::string ordered(const OrderItems& order, const std::vector<std::size_t>& places) {
  std::string words;
  for (const std::size_t item : places)
    if (item < order.items.size()) words += (words.empty() ? "" : " < ") + order.items[item].label;
  return words;
}

void draw_order(Director& director, const OrderItems& order, double width, const Ui& ui) {
  Player& player = director.player();
  text_muted("Click them in order, the smallest first.");
  for (std::size_t i = 0; i < order.items.size(); ++i) {
    const std::vector<std::size_t>& mine = player.work().answer.order;
    const auto found = std::find(mine.begin(), mine.end(), i);
    const bool placed = found != mine.end();
    const std::string place = placed ? fmt::format("{}.", found - mine.begin() + 1) : "–";
    if (option_line(fmt::format("{}  {}", place, order.items[i].label), i, placed, width, ui))
      player.toggle_item(i);
  }
  // Without an answer the sentence below gives the order.
  if (player.work().revealed && player.work().answered && director.truth())
    draw_rich_text(ui, "True: " + ordered(order, director.truth()->order), width);
}

void draw_guess(Director& director, const GuessNumber& guess, double width, const Ui& ui) {
  Player& player = director.player();
  double number =
      player.work().answered ? player.work().answer.number : (guess.from + guess.to) / 2;
  const std::string words = guess_words(guess, player.work());
  ImGui::SetNextItemWidth(static_cast<float>(width));
  if (ImGui::SliderScalar("##guess", ImGuiDataType_Double, &number, &guess.from, &guess.to, "",
                          ImGuiSliderFlags_NoRoundToFormat))
    player.guess(number);
  mark_item(ui, "guess");
  ImGui::Dummy(ImVec2(0, 0));
  const Point ends = shim::point(ImGui::GetCursorScreenPos());
  text_muted(short_number(guess.from));
  const std::string last = last_number_words(guess);
  const double middle = text_width(words) / 2;
  ImGui::SetCursorScreenPos(shim::vec({ends.x + width / 2 - middle, ends.y}));
  draw_text(words);
  ImGui::SetCursorScreenPos(shim::vec({ends.x + width - text_width(last), ends.y}));
  text_muted(last);
}

void draw_kind(Director& director, const Prediction& prediction, double width, const Ui& ui) {
  const bool revealed = director.player().work().revealed;
  if (const auto* choose = std::get_if<Prediction::Choose>(&prediction.kind))
    draw_choose(director, *choose, width, ui);
  else if (const auto* order = std::get_if<Prediction::Order>(&prediction.kind))
    draw_order(director, *order, width, ui);
  else if (const auto* guess = std::get_if<Prediction::Guess>(&prediction.kind))
    draw_guess(director, *guess, width, ui);
  else if (!revealed)
    quiet_words(ui,
                std::holds_alternative<Prediction::Draw>(prediction.kind)
                    ? "Drag across the figure, or hold Shift and press the arrow keys."
                    : "Click the cells, or move with Shift and the arrow keys and mark with "
                      "Shift+Enter.",
                width);
}

/// Draws buttons in rows that fit.
class ButtonRow {
 public:
  ButtonRow(double width, const Ui& ui) : width_(static_cast<float>(width)), ui_(ui) {}
  bool draw(const char* label, const char* about) {
    const float wide = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (used_ > 0 && used_ + wide <= width_)
      ImGui::SameLine(0, ui_.px(6));
    else
      used_ = 0;
    used_ += wide + ui_.px(6);
    const bool pressed = ImGui::Button(label);
    mark_item(ui_, std::string("button ") + label);
    tooltip(ui_, about);
    return pressed;
  }

 private:
  float width_;
  float used_{0};
  const Ui& ui_;
};

void draw_buttons(Director& director, double width, const Ui& ui) {
  Player& player = director.player();
  ButtonRow row(width, ui);
  if (player.work().revealed) {
    if (row.draw("Hide again", "Hides the answer, for another class.")) director.conceal();
    return;
  }
  if (row.draw("Reveal", "Shows what is true. Space")) return director.reveal();
  if (!player.work().answered) return;
  if (row.draw("Erase", "Takes this answer back.")) player.erase();
}

}  // namespace

double number_on_line(const GuessNumber& guess, const Rect& cover, double x) {
  return guess_line(guess, cover).numbers.to_data(x);
}

void draw_guess_line(Canvas& canvas, const Rect& cover, const GuessNumber& guess,
                     const Player::Work& work, const Ui& ui) {
  const GuessLine line = guess_line(guess, cover);
  TextStyle style{.size = ui.style.text_size, .color = ui.style.text};
  style.horizontal = HorizontalAlign::center;
  const double left = line.numbers.at_min, right = line.numbers.at_max;
  const double margin = box_share * (right - left);
  // The hatching would run through the numbers.
  canvas.rect({left - margin, line.y - above * ui.scale, right - left + 2 * margin,
               (above + below) * ui.scale},
              raised_color(ui.style));
  const std::array ends{Point{left, line.y}, Point{right, line.y}};
  canvas.line_strip(ends, {.color = ui.style.text, .width = 2 * ui.scale});
  draw_ticks(canvas, line, guess, style, ui);
  const double at = work.answered ? line.numbers.to_canvas(work.answer.number) : (left + right) / 2;
  if (work.answered) draw_mark_dot(canvas, {at, line.y}, mark_radius * ui.scale, ui.style.accent);
  style.vertical = VerticalAlign::bottom;
  style.color = work.answered ? ui.style.text : ui.style.muted;
  canvas.text({at, line.y - (mark_radius + 4) * ui.scale},
              work.answered ? guess_words(guess, work) : "Click on the line where you expect it.",
              style);
}

std::string guess_words(const GuessNumber& guess, const Player::Work& work) {
  if (!work.answered) return "your guess";
  const double number = work.answer.number;
  const bool whole = guess.to - guess.from >= whole_from;
  return short_number(whole ? std::round(number) : number) + unit_of(guess);
}

std::string last_number_words(const GuessNumber& guess) {
  return short_number(guess.to) + unit_of(guess);
}

std::string revealed_words(const Director& director) {
  const Player& player = director.player();
  if (!player.work().revealed || !player.step().prediction) return {};
  if (!director.truth()) return {};
  const Prediction& prediction = *player.step().prediction;
  const std::vector<Answer> answers = player.answers();
  if (answers.empty()) return truth_text(prediction, *director.truth());
  return answers.size() == 1 ? describe_answer(prediction, answers.front(), *director.truth())
                             : describe_class(prediction, answers, *director.truth());
}

void draw_prediction(Director& director, double width, const Ui& ui) {
  const Player& player = director.player();
  const Prediction& prediction = *player.step().prediction;
  draw_words(ui, prediction.ask, width);
  ImGui::Dummy(ImVec2(0, ui.px(3)));
  draw_kind(director, prediction, width, ui);
  ImGui::Dummy(ImVec2(0, ui.px(3)));
  draw_buttons(director, width, ui);
  if (!player.work().revealed) return;
  const std::string words = revealed_words(director);
  draw_words(ui, words.empty() ? "Computing …" : words, width);
  mark_item(ui, "revealed");
  if (!prediction.reveal.empty()) {
    ImGui::Dummy(ImVec2(0, ui.px(3)));
    draw_words(ui, prediction.reveal, width);
  }
}

std::string projected_words(const Director& director) {
  const LessonStep& step = director.player().step();
  if (!step.prediction) return step.say;
  if (director.player().work().revealed && director.truth())
    return step.prediction->reveal.empty() ? revealed_words(director) : step.prediction->reveal;
  std::string words = step.say;
  if (const auto* choose = std::get_if<Prediction::Choose>(&step.prediction->kind))
    for (std::size_t i = 0; i < choose->options.size(); ++i)
      words += fmt::format("{}{}: {}", i == 0 ? "  " : ", ", i + 1, choose->options[i].label);
  return words;
}

bool press_answer_keys(Director& director) {
  if (!director.shows_step() || !director.player().step().prediction) return false;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl || io.KeyAlt || io.KeyShift || io.WantTextInput) return false;
  Player& player = director.player();
  const Prediction& prediction = *player.step().prediction;
  const bool orders = std::holds_alternative<Prediction::Order>(prediction.kind);
  for (std::size_t i = 0; i < std::min<std::size_t>(9, option_count(prediction)); ++i) {
    if (!shim::key_pressed(GLFW_KEY_1 + static_cast<int>(i), false)) continue;
    orders ? player.toggle_item(i) : player.toggle_option(i);
    return true;
  }
  const auto* guess = std::get_if<Prediction::Guess>(&prediction.kind);
  if (!guess || player.work().revealed) return false;
  const int by = (shim::key_pressed(GLFW_KEY_UP, true) ? 1 : 0) -
                 (shim::key_pressed(GLFW_KEY_DOWN, true) ? 1 : 0);
  if (by == 0) return false;
  const double middle = (guess->from + guess->to) / 2;
  const double now = player.work().answered ? player.work().answer.number : middle;
  player.guess(
      std::clamp(now + by * (guess->to - guess->from) / guess_steps, guess->from, guess->to));
  return true;
}

}  // namespace orrery
