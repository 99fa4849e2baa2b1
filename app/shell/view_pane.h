#pragma once

#include <utility>
#include <vector>

#include "app/gui/ui.h"
#include "app/panels/equation_view.h"
#include "app/shell/action_handler.h"
#include "app/shell/workspace.h"
#include "app/views/result_view.h"

namespace orrery {

/// The formulas of the view on screen, linked to the controls of their parameters.
struct LinkedFormulas {
  EquationView view{};
  SymbolLink shown{};  ///< what was pointed at in the previous frame
  SymbolLink next{};   ///< what is pointed at in this frame

  void begin_frame() { shown = std::exchange(next, {}); }
};

/// The middle of the window: one line of choices, one with the question and its formulas or the
/// list of saved points, figures, and what needs attention: failed checks and messages.
class ViewPane {
 public:
  ViewPane(Workspace& workspace, ActionHandler& actions, LinkedFormulas& formulas);

  /// `with_list` says whether the list of views is on screen; without it they are chosen here.
  void draw(const Rect& area, bool with_list, bool busy, const Ui& ui);

 private:
  /// How the room below the heading is divided; what is not shown has height 0.
  struct Layout {
    Rect figures{};
    Rect grip{};  ///< dragging it resizes the findings
    Rect findings{};
    Rect message{};
  };

  Rect draw_toolbar(const Rect& inner, bool with_list, const Ui& ui);
  void draw_view_choice(const Ui& ui);
  double draw_headline(const Rect& inner, double top, const Ui& ui);
  double draw_guide(const Rect& inner, double top, const Ui& ui);
  double draw_points(const Rect& inner, double top, const Ui& ui);
  Layout layout(const Rect& inner, double top, const Ui& ui);
  double findings_height_in(const Rect& inner, double room, const Ui& ui);
  void draw_figures(const Rect& bar, const Rect& area, bool busy, const Ui& ui);
  void draw_empty(const Rect& area, bool busy, const Ui& ui);
  void draw_grip(const Rect& grip, double findings_height, const Ui& ui);
  void draw_boxes(const Layout& layout, const Ui& ui);

  Workspace& workspace_;
  ActionHandler& actions_;
  LinkedFormulas& formulas_;
  std::vector<ResultView> views_{};  ///< one per experiment of the live session
  std::size_t figures_{};            ///< on screen in the frame before
};

/// Draws the button that lists all actions with their keys, and the list while it is open.
void draw_action_menu(ActionHandler& actions, const Ui& ui);

/// Draws the column at the left of the window: menu, list of views, theme and size.
void draw_list_pane(Workspace& workspace, ActionHandler& actions, const Rect& area, const Ui& ui);

}  // namespace orrery
