#pragma once

#include "app/ui.h"
#include "app/views/color_grip.h"
#include "app/views/figure_keys.h"
#include "app/views/figure_menu.h"
#include "app/views/readout.h"
#include "experiments/figure/curve_cache.h"
#include "experiments/figure/layout.h"

namespace orrery {

/// A figure under the mouse and the keyboard; figure_shortcuts() lists its habits. Resting, it
/// reads the data out; pointing, it lights the same distance in other figures.
class FigureWidget {
 public:
  /// Draws into `area` of the current window; gestures change `view` and the marks for the next
  /// frame.
  void draw(const Figure& figure, const Rect& area, FigureView& view, const FigureReach& reach,
            const Ui& ui);
  /// Where things lay in the last frame.
  const FigureFrame& frame() const { return frame_; }

  /// The keyboard goes to this figure from its next frame on.
  void take_focus() { takes_focus_ = true; }
  bool has_focus() const { return has_focus_; }
  /// 1 or −1 when Tab was pressed on this figure in the last frame, else 0.
  int focus_step() const { return focus_step_; }

 private:
  enum class Drag { none, press, pan, box, cursor, color, rule };

  /// What a frame has at hand.
  struct Scene {
    const Figure& figure;
    FigureView& view;
    const FigureReach& reach;
    const Ui& ui;
    Canvas& canvas;
    Point cursor;
    bool hovered;
  };

  void draw_inside(const Figure& figure, const Rect& area, FigureView& view,
                   const FigureReach& reach, const Ui& ui);
  void react(const Scene& scene);
  void press(const Scene& scene);
  bool press_on_marks(const Scene& scene);
  void follow_drag(const Scene& scene);
  void follow_pan(const Scene& scene);
  void follow_cursor(const Scene& scene);
  void follow_rule(const Scene& scene) const;
  bool is_on_rule(const Scene& scene) const;
  void shape_mouse(const Scene& scene) const;
  void release(const Scene& scene);
  void click(const Scene& scene);
  void double_click(const Scene& scene);
  void finish_box(const Scene& scene);
  void open_menu(Point at);
  void wheel(const Scene& scene) const;
  void zoom(const Scene& scene, Point about, double factor, bool x, bool y) const;
  void fit(const Scene& scene) const;
  void obey(const Scene& scene, FigureCommand command);
  void pan_by_key(const Scene& scene, double x, double y) const;
  bool click_legend(const Scene& scene) const;
  void draw_box(const Scene& scene) const;
  void draw_dragged_rule(const Scene& scene) const;
  void draw_links(const Scene& scene) const;
  void draw_ring(const Scene& scene) const;
  void read_out(const Scene& scene) const;

  FigureFrame frame_{};
  HeatmapCache cache_{};
  CurveCache curves_{};
  Drag drag_{Drag::none};
  bool along_x_{true};  ///< which axes a pan moves
  bool along_y_{true};
  std::size_t grabbed_{};  ///< which of the two cursors is dragged
  ColorGrip grip_{ColorGrip::none};
  Point anchor_{};
  FigureFrame anchored_{};  ///< the frame in which the drag began
  Point menu_at_{};
  bool menu_open_{false};
  std::optional<double>
      clicked_{};  ///< what the last click pinned, for a double click to take back
  bool swallows_release_{false};
  bool takes_focus_{false};
  bool has_focus_{false};
  bool by_keyboard_{false};  ///< the focus came by a key: it shows
  int focus_step_{0};
};

}  // namespace orrery
