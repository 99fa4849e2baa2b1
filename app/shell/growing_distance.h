#pragma once

#include "app/session/session.h"

namespace orrery {

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
