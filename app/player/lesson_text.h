#pragma once

#include <string>

#include "app/gui/ui.h"
#include "app/panels/equation_view.h"
#include "experiments/lessons/lesson.h"

namespace orrery {

/// Paragraphs and formulas of a step, set at the cursor of the current window.
class LessonText {
 public:
  /// Symbols that `shown` points at, or that the step spotlights, are lit; those under the mouse go
  /// to `next`.
  LessonText(const LessonStep& step, const SymbolLink& shown, SymbolLink& next, double width,
             const Ui& ui);

  void draw(const Prose& prose);
  void draw(const Equation& formula);
  /// The target of the link that was clicked in this frame; empty without one.
  const std::string& clicked() const { return clicked_; }

 private:
  void point_at(const EquationBox& box, Point origin);

  SymbolLink& next_;
  EquationHighlight highlight_{};
  double width_;
  const Ui& ui_;
  std::string clicked_{};
};

/// Words of a lesson that are no prose, in lines that break at spaces alone; symbols in them are
/// set as mathematics. An item in the current colour.
void draw_words(const Ui& ui, const std::string& words, double width);
/// The same in the muted colour.
void quiet_words(const Ui& ui, const std::string& words, double width);

/// Words as they are, symbols in letters: a command.
void verbatim_words(const Ui& ui, const std::string& words, double width);

}  // namespace orrery
