#pragma once

#include <cstdint>
#include <optional>

#include "app/session/session.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// Removes a note from the status line a few seconds after it appeared.
class NoteTimer {
 public:
  /// Call once per frame, at `seconds` of any steady clock.
  void update(Session& session, double seconds);
  /// Seconds until the note on screen is removed; negative when there is none.
  double due_in(double seconds) const;

 private:
  std::uint64_t seen_{0};  ///< notes before the present one
  std::optional<double> removal_time_{};
};

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

/// Turns the orrery: the distance that all figures show grows, twice as far every second and a
/// half, to the longest and then again from the start.
class GrowingDistance {
 public:
  void toggle() { turning_ = !turning_; }
  bool is_turning() const { return turning_; }
  /// Moves the held distance by so many tokens, and stops.
  void step(Session& session, double tokens);
  /// Call once a frame, `seconds` after the last one.
  void update(Session& session, double seconds);

 private:
  bool turning_{false};
  double at_{1.0};  ///< the distance between whole tokens
};

}  // namespace orrery
