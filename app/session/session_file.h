#pragma once

#include <filesystem>
#include <string>

#include "app/session/session.h"
#include "app/session/session_toml.h"

namespace orrery {

/// Where the session is kept: $XDG_STATE_HOME/orrery/session.toml, else in ~/.local/state; empty
/// where there is neither variable nor home.
std::filesystem::path session_path();

/// Brings back what the file holds. Without a file nothing happens. A damaged one is moved aside
/// (its name with ".damaged") and the session shows a message; settings that this version does not
/// support are left out with a message. Never throws.
void restore_session(Session& session, const std::filesystem::path& path);

/// Keeps the file up to date: writes when the session has changed and then rested. Where another
/// window has written the file meanwhile, its recent paths stay beside this one's, and what it
/// changed stays where this one has not changed the same.
class SessionKeeper {
 public:
  /// An empty path keeps nothing.
  SessionKeeper(const Session& session, std::filesystem::path path);
  /// Call once per frame, at `seconds` of any steady clock. Returns once why the file could not be
  /// written; empty when all is well.
  std::string watch(double seconds);
  /// How long until watch() has something to do; negative when nothing is due.
  double due_in(double seconds) const;
  /// Writes now if there is something new. Never throws: the program is about to end.
  void finish() noexcept;

  static constexpr double rest_seconds =
      2.0;  ///< seconds without a change before the file is written

 private:
  std::string write();
  SessionDocument merged() const;

  const Session& session_;
  std::filesystem::path path_;
  SessionDocument seen_{};
  SessionDocument written_{};  ///< this session's own when it was last written or began
  std::string text_{};         ///< what the file held then
  bool dirty_{false};
  bool complained_{false};
  double changed_at_{};
};

/// Shows the experiment of a next step with its words, its other parameters at their defaults.
void take_next_step(Session& session, const NextStep& next);

}  // namespace orrery
