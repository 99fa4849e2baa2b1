#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "app/views/figure_gestures.h"
#include "app/views/figures.h"
#include "app/views/gestures.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"

namespace orrery {

/// A figure under mouse and keyboard. It draws the figure with its marks and links, and shows a
/// readout where the mouse rests; FigureGestures does what mouse and keyboard ask for.
class FigureWidget {
 public:
  /// Draws into `area` of the current window; gestures change `view` and the marks for the next
  /// frame.
  void draw(const Figure& figure, const Rect& area, FigureView& view, const FigureReach& reach,
            const Ui& ui);
  /// Where things lay in the last frame.
  const FigureLayout& frame() const { return frame_; }

  /// Gives this figure the keyboard focus from its next frame on.
  void take_focus() { takes_focus_ = true; }
  /// 1 or −1 when Tab or Shift+Tab was pressed on this figure in the last frame, else 0.
  int focus_step() const { return focus_step_; }

 private:
  void draw_inside(const Figure& figure, const Rect& area, FigureView& view,
                   const FigureReach& reach, const Ui& ui);
  void obey(const FigureInput& input, FigureCommand command);
  void draw_over(Canvas& canvas, const FigureInput& input, const FigureInput& moved) const;
  std::optional<MapOfEquation> map_to_move(const FigureInput& input);
  void draw_links(Canvas& canvas, const FigureInput& input) const;

  FigureLayout frame_{};
  HeatmapCache cache_{};
  CurveCache curves_{};
  std::optional<std::size_t> held_map_{};  ///< of an equation, under the mouse or held by it
  FigureGestures gestures_{};
  bool menu_open_{false};
  bool takes_focus_{false};
  bool has_focus_{false};
  bool by_keyboard_{false};  ///< whether the keyboard brought the focus here, which then shows
  int focus_step_{0};
};

/// A figure and the area that it is drawn into.
struct PlacedFigure {
  FigurePtr figure{};
  Rect area{};
  std::shared_ptr<const Result>
      result{};                        ///< that it is of, where that is another than the others'
  double inset_left{}, inset_right{};  ///< of the axes in `area`, in pixels
};

/// The reference lines of a figure; none where its kind has no axes.
std::span<const Rule> rules_of(const Figure& figure);

/// The figures of a view under mouse and keyboard, whatever their arrangement.
class FigureSet {
 public:
  /// Draws the figures of a result; Tab goes from one to the next, F6 to the first. Maps of one shape pan and zoom
  /// together; where the result is `live`, lines that show a parameter are dragged to set it.
  void draw(Session& session, std::span<const PlacedFigure> figures, const Result& result,
            bool live, const Ui& ui);

  /// Where a figure's parts lay when it was drawn last; null if it was not.
  const FigureLayout* frame(const std::string& id) const;

 private:
  void draw_one(Session& session, const PlacedFigure& placed, const Result& result, bool live,
                const Ui& ui);
  void move_focus(std::span<const PlacedFigure> figures);

  std::map<std::string, FigureWidget> widgets_{};
};

/// Places figures in a grid of `columns`, row by row.
std::vector<PlacedFigure> placed_in_grid(const Figures& figures, std::size_t columns,
                                         const Rect& area, double gap);

/// Draws titles of which one is chosen in a line; where they are too many they are a list to choose
/// from, with arrows to the one before and after. A click changes `chosen`.
void draw_tab_row(std::span<const std::string> labels, std::size_t& chosen, const Rect& line,
                  const Ui& ui);

/// The number of columns for which `count` cells of an aspect ratio are largest in `area`.
std::size_t best_columns(std::size_t count, double width, double height, double aspect);

}  // namespace orrery
