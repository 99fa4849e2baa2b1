#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/panels/equation_view.h"
#include "app/player/director.h"
#include "app/session/session.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

/// What a step puts on top of the figures: veils, what is predicted with the mouse, notes and
/// spotlights. A curve is drawn by dragging, cells are marked by clicks, a number is guessed on a
/// line over what is covered; Shift with the arrow keys moves a pen, which draws, or a cell, which
/// Shift+Enter marks.
class FigureOverlay {
 public:
  /// Draws over the figures that are on screen in this frame. What a symbol of the step names is
  /// lit while `shown` points at it; symbols that name what is under the mouse go to `next`.
  void draw(Director& director, Session& session, const SymbolLink& shown, SymbolLink& next,
            const Ui& ui);

 private:
  struct Place {
    const Figure& figure;
    const FigureLayout& layout;
    Director& director;
    const Session& session;
    const std::vector<std::string>& lit;  ///< symbols that are pointed at
    const Ui& ui;
  };

  void draw_on(const Place& place);
  static void light_symbols(Canvas& canvas, const Place& place);
  void take_drawing(const Place& place);
  void take_cells(const Place& place);
  static void take_guess(const Place& place, const GuessNumber& guess, const Rect& cover);
  void draw_pen(Canvas& canvas, const Place& place) const;
  void stroke(const Place& place, Point from, Point to);

  std::size_t step_{};           ///< that the pen is for
  std::optional<Point> pen_{};   ///< place of the pen in shares of the plot
  std::optional<Point> last_{};  ///< of the mouse while it draws
  Cell cell_{};
  bool by_keys_{false};
};

/// Frames the controls that the step points at, and those whose symbol is pointed at; the symbols
/// of the control under the mouse go to `next`. Call after they were drawn.
void draw_control_spotlights(const Director& director, const Session& session,
                             const SymbolLink& shown, SymbolLink& next, const Ui& ui);

}  // namespace orrery
