#pragma once

#include <deque>
#include <optional>
#include <string>

#include "app/desktop_state.h"

namespace orrery {

/// The way back, and forth again. It watches the state from frame to frame instead of being told of
/// changes, so that no change can be forgotten.
class History {
 public:
  /// How a difference from the frame before came about.
  enum class Cause {
    hand,      ///< a new step
    gesture,   ///< of a hand still at it (a button held, a wheel turning): part of the step
    machinery  ///< it followed by itself (a result came): part of the present, no step
  };

  /// Call once a frame with the state after it, at `seconds` of any steady clock. Changes by hand
  /// less than `kPause` apart, of the same thing, are one step.
  void observe(const DesktopState& state, Cause cause, double seconds);

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }
  /// The state to go back to; empty when there is none. Observe it as machinery.
  std::optional<DesktopState> undo();
  std::optional<DesktopState> redo();
  /// What undo() would take back and redo() would do again, in a few words.
  std::string undo_text() const;
  std::string redo_text() const;

  static constexpr double kPause = 0.6;  ///< seconds
  static constexpr std::size_t kMostSteps = 500;

 private:
  bool continues(const DesktopState& state, double seconds) const;

  std::optional<DesktopState> present_{};
  std::deque<DesktopState> past_{};
  std::deque<DesktopState> future_{};
  std::string last_change_{};  ///< what the newest step changes, without its value
  double last_seconds_{};
  bool in_gesture_{false};
};

}  // namespace orrery
