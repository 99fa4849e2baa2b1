#include "app/player/guess_line.h"

#include <array>
#include <cmath>

#include "app/gui/theme.h"
#include "app/player/figure_marks.h"
#include "experiments/figure/plot/ticks.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double edge_share = 0.08;  // of the cover's width, left free at both ends
constexpr double box_share = 0.07;   // of the line's length, for its last number and unit
// Lengths at scale 1.
constexpr double tick_length = 6, tick_spacing = 90, label_gap = 12, mark_radius = 7,
                 other_radius = 4, above = 44, below = 40;
// Numbers over a range of at least this length are read as whole ones.
constexpr double whole_from = 20;

std::string unit_of(const GuessNumber& guess) { return guess.unit.empty() ? "" : " " + guess.unit; }

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

}  // namespace

GuessLine guess_line(const GuessNumber& guess, const Rect& cover) {
  const double edge = edge_share * cover.width;
  return {.numbers = {.data = {guess.from, guess.to},
                      .at_min = cover.x + edge,
                      .at_max = cover.right() - edge},
          .y = cover.y + cover.height / 2};
}

void draw_guess_line(Canvas& canvas, const GuessLine& line, const GuessNumber& guess,
                     const StepWork& work, const Ui& ui) {
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
  for (const Answer& other : work.others)
    draw_mark_dot(canvas, {line.numbers.to_canvas(other.number), line.y}, other_radius * ui.scale,
                  ui.style.muted);
  const double at = work.answered ? line.numbers.to_canvas(work.answer.number) : (left + right) / 2;
  if (work.answered) draw_mark_dot(canvas, {at, line.y}, mark_radius * ui.scale, ui.style.accent);
  style.vertical = VerticalAlign::bottom;
  style.color = work.answered ? ui.style.text : ui.style.muted;
  canvas.text({at, line.y - (mark_radius + 4) * ui.scale},
              work.answered ? guess_words(guess, work) : "Click on the line where you expect it.",
              style);
}

std::string guess_words(const GuessNumber& guess, const StepWork& work) {
  if (!work.answered) return "your guess";
  const double number = work.answer.number;
  const bool whole = guess.to - guess.from >= whole_from;
  return short_number(whole ? std::round(number) : number) + unit_of(guess);
}

std::string last_number_words(const GuessNumber& guess) {
  return short_number(guess.to) + unit_of(guess);
}

}  // namespace orrery
