#pragma once

#include "app/gui/ui.h"
#include "app/player/director.h"

namespace orrery {

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
