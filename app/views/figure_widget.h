#pragma once

#include "app/ui.h"
#include "app/views/readout.h"
#include "experiments/figure/layout.h"

namespace orrery {

/// A figure under the mouse. Left drag pans, the wheel zooms about the cursor (over an axis: that
/// axis), right drag zooms to a box, a double click fits (on an axis: that axis), a click in the
/// legend hides a curve and a click with Ctrl shows it alone. Resting, it reads the data out.
class FigureWidget {
 public:
  /// Draws into `area` of the current window; gestures change `view` for the next frame.
  void draw(const Figure& figure, const Rect& area, FigureView& view, const Ui& ui);
  /// Where things lay in the last frame.
  const FigureFrame& frame() const { return frame_; }

 private:
  enum class Drag { none, pan, box };

  void start_drag(Point cursor);
  void follow_drag(const Figure& figure, FigureView& view, Point cursor);
  void finish_box(const Figure& figure, FigureView& view, Point cursor);
  void wheel(const Figure& figure, FigureView& view, Point cursor) const;
  void fit(FigureView& view, Point cursor) const;
  bool click_legend(const Figure& figure, FigureView& view, Point cursor) const;
  void draw_box(Canvas& canvas, const Ui& ui, Point cursor) const;
  void read_out(Canvas& canvas, const Figure& figure, const FigureView& view, const Ui& ui,
                Point cursor) const;

  FigureFrame frame_{};
  HeatmapCache cache_{};
  Drag drag_{Drag::none};
  bool along_x_{true};  ///< which axes a pan moves
  bool along_y_{true};
  Point anchor_{};
  FigureFrame anchored_{};  ///< the frame in which the drag began
};

}  // namespace orrery
