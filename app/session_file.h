#pragma once

#include <filesystem>
#include <string>

#include "app/session.h"

namespace orrery {

/// Where the session is kept: $XDG_STATE_HOME/orrery/session.toml, else in ~/.local/state; empty
/// where there is neither variable nor home.
std::filesystem::path session_path();

/// Brings back what the file holds. Without a file nothing happens. A damaged one is moved aside
/// (its name with ".damaged") and the session says so in its message; what this version does not
/// know of is left out and said. Never throws.
void restore_session(Session& session, const std::filesystem::path& path);

/// Writes `text` in place of the file, whole or not at all, making its folder. Throws IoError.
void replace_file(const std::filesystem::path& path, const std::string& text);

/// Keeps the file up to date: writes when the session has changed and then rested.
class SessionKeeper {
 public:
  /// An empty path keeps nothing.
  SessionKeeper(const Session& session, std::filesystem::path path);
  /// Call once a frame, at `seconds` of any steady clock. Returns what kept the file from being
  /// written, once; empty when all is well.
  std::string watch(double seconds);
  /// How long until watch() has something to do; negative when nothing is due.
  double due_in(double seconds) const;
  /// Writes now if there is something new. Never throws: the program is about to end.
  void finish() noexcept;

  static constexpr double kRest = 2.0;  ///< seconds without a change before the file is written

 private:
  std::string write();

  const Session& session_;
  std::filesystem::path path_;
  DesktopState seen_{};
  std::vector<std::string> seen_recent_{};
  bool dirty_{false};
  bool complained_{false};
  double changed_at_{};
};

}  // namespace orrery
