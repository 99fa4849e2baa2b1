#pragma once

#include <string>

#include "app/gui/ui.h"
#include "app/player/director.h"
#include "app/player/player.h"
#include "experiments/figure/plot/axis_map.h"

namespace orrery {

/// Draws a line of numbers across the middle of a covered figure, with the reader's mark and those
/// of a class: a guess is marked with the covered answer in sight, not on a slider elsewhere.
void draw_guess_line(Canvas& canvas, const Rect& cover, const GuessNumber& guess,
                     const Player::Work& work, const Ui& ui);
/// The number on that line at a canvas coordinate.
double number_on_line(const GuessNumber& guess, const Rect& cover, double x);

/// "209 degrees", or "your guess" before there is one.
std::string guess_words(const GuessNumber& guess, const Player::Work& work);

/// "360 degrees": the end of the numbers, with their unit.
std::string last_number_words(const GuessNumber& guess);

/// The question of the step, what answers it beside the figure, the buttons that reveal, and after
/// the reveal both answers in words. Draws at the cursor, `width` wide.
void draw_prediction(Director& director, double width, const Ui& ui);

/// Answers by keyboard: digits choose an option or place an item, up and down move a guess. Returns
/// whether a key was taken.
bool press_answer_keys(Director& director);

/// What is said after the reveal: the prediction beside the truth, of a reader or of a class; empty
/// until the truth has been computed.
std::string revealed_words(const Director& director);

/// The sentence that a projector shows: what the step says, with the options of a choice; after the
/// reveal what is true.
std::string projected_words(const Director& director);

}  // namespace orrery
