#pragma once

#include <cstddef>
#include <optional>

#include "app/gui/ui.h"
#include "app/views/figure_gestures.h"
#include "app/views/figures.h"
#include "app/views/gestures.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/figure/plot/heatmap_cache.h"

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

}  // namespace orrery
