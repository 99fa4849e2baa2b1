#pragma once

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// Knows since when mouse and keyboard have done nothing, so that a lecture's figure can stand
/// alone while somebody speaks.
class RestTimer {
 public:
  /// Call once per frame, at `seconds` of any steady clock. `busy`: a key or button is down, or an
  /// item is being edited.
  void update(Point mouse, bool busy, double seconds);
  /// Whether nothing has happened for some seconds.
  bool is_resting() const { return resting_; }
  /// Seconds until that; negative when it is so already.
  double due_in(double seconds) const;

 private:
  Point mouse_{};
  double last_{-1.0};  ///< when something happened; negative before the first frame
  bool resting_{false};
};

}  // namespace orrery
