#pragma once

#include <optional>
#include <string>

#include "app/session/desktop_state.h"
#include "app/session/session.h"

namespace orrery {

/// Records the session's states for undo, telling changes by the user from those that follow by
/// themselves.
class UndoRecorder {
 public:
  /// Looks at mouse and keyboard. Call at the beginning of a frame.
  void begin_frame();
  /// Changes in the next frames are the user's doing.
  void note_input();
  /// Changes in the next frames follow from a step that is recorded already.
  void ignore_input() { input_frames_ = 0; }
  /// Changes from here on belong to this place, "" or a step of a lesson: undo stays within a step,
  /// and back at "" it is as it was before the lesson.
  void enter(const std::string& place);
  /// Records the session as it is at the end of a frame, at `seconds` of any steady clock.
  void record(const Session& session, double seconds);

  /// The state to bring back; empty when there is none.
  std::optional<DesktopState> undo();
  std::optional<DesktopState> redo();
  const History& history() const { return history_; }

 private:
  std::optional<DesktopState> travelled(std::optional<DesktopState> state);

  History history_{};
  std::string place_{};
  History outside_{};      ///< that of "" while a lesson is open
  int input_frames_{0};    ///< frames left in which changes are the user's doing
  bool travelled_{false};  ///< whether undo or redo changed this frame
};

}  // namespace orrery
