#pragma once

#include <deque>
#include <optional>
#include <string>

#include "app/session/desktop_state.h"

namespace orrery {

/// Undo and redo. It compares the state from frame to frame, so that no change can be missed.
class History {
 public:
  /// The cause of a difference from the previous frame.
  enum class Cause {
    user,      ///< a new step
    gesture,   ///< still going on (a button held, a wheel turning): part of the step
    automatic  ///< followed by itself (a result arrived): part of the present, not a step
  };

  /// Call once per frame with the state after it, at `seconds` of any steady clock. Changes by the
  /// user less than `pause_seconds` apart, of the same thing, are one step.
  void observe(const DesktopState& state, Cause cause, double seconds);

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }
  /// The state to go back to; empty when there is none. Observe it as automatic.
  std::optional<DesktopState> undo();
  std::optional<DesktopState> redo();
  /// Describes the change that undo() would undo and redo() would redo.
  std::string undo_text() const;
  std::string redo_text() const;

  static constexpr double pause_seconds = 0.6;
  static constexpr std::size_t max_steps = 500;

 private:
  bool continues(const DesktopState& state, double seconds) const;

  std::optional<DesktopState> present_{};
  std::deque<DesktopState> past_{};
  std::deque<DesktopState> future_{};
  std::string last_change_{};  ///< the setting that the newest step changes, without its value
  double last_seconds_{};
  bool in_gesture_{false};
};

}  // namespace orrery
