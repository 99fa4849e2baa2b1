#pragma once

#include <optional>
#include <string>

#include "app/gui/ui.h"
#include "app/panels/equation_view.h"
#include "app/player/director.h"

namespace orrery {

/// A width in which prose reads well and the figure keeps the larger part of a window.
double pane_width(double window_width, double scale);

/// The step on screen: place in the lesson, prose, formulas, prediction, task, card and exercise,
/// and how to go on. It takes the place of the list of views.
class LessonPane {
 public:
  /// Returns the target of a link that leads out of the lesson, as written there ("encoding:rope");
  /// empty without one. Links to other lessons are followed.
  std::string draw(Director& director, const Rect& area, const SymbolLink& shown, SymbolLink& next,
                   const Ui& ui);

 private:
  std::string draw_step(Director& director, const SymbolLink& shown, SymbolLink& next, double width,
                        const Ui& ui);
  void draw_exercise(const Exercise& exercise, double width, const Ui& ui);
  bool shows_board(const Scoreboard& board) const;
  double board_height(const Scoreboard& board, const Ui& ui) const;
  void draw_board(const Scoreboard& board, double width, const Ui& ui);

  std::string step_shown_{};  ///< for which the answer of the exercise may be open
  bool has_exercise_{};
  bool answer_open_{};
  bool was_revealed_{};
  std::optional<bool> board_open_{};  ///< as the reader wants it in this step
};

}  // namespace orrery
