#pragma once

#include "app/gui/overlay.h"
#include "app/gui/ui.h"
#include "experiments/lessons/scoreboard.h"

namespace orrery {

/// Height of the board in the current font.
double scoreboard_height(const Scoreboard& board);

/// The boxes of a course's scoreboard, one row per code and one column per wish, at the cursor. New
/// boxes are framed; under the mouse a box says where it was settled and what its mark leaves out.
void draw_scoreboard(const Scoreboard& board, double width, const Ui& ui);

/// The scoreboard with its wishes written out and all its remarks, over the window: a class reads
/// it from the back row.
class ScoreboardSheet : public Overlay {
 public:
  void draw(const Scoreboard& board, const Ui& ui);
};

}  // namespace orrery
