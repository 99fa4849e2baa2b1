#pragma once

#include <string>

#include "app/gui/ui.h"
#include "app/player/player.h"
#include "experiments/figure/plot/axis_map.h"

namespace orrery {

/// A line of numbers over a covered figure, on which a guess is marked: with the covered answer in
/// sight, not on a slider elsewhere.
struct GuessLine {
  AxisMap numbers{};
  double y{};
};

/// Across the middle of `cover`.
GuessLine guess_line(const GuessNumber& guess, const Rect& cover);

/// Draws the line with the reader's mark and those of a class.
void draw_guess_line(Canvas& canvas, const GuessLine& line, const GuessNumber& guess,
                     const StepWork& work, const Ui& ui);

/// "209 degrees", or "your guess" before there is one.
std::string guess_words(const GuessNumber& guess, const StepWork& work);

/// "360 degrees": the end of the numbers, with their unit.
std::string last_number_words(const GuessNumber& guess);

}  // namespace orrery
