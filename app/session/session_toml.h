#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.h"

namespace orrery {

// The session as TOML that people can read and write. The copied settings of an experiment without
// its figure are also a sweep file.

/// The settings of the experiment on screen: its name, what differs from the defaults, and the part
/// of the figure that is shown; if asked for also which figures are on screen.
std::string settings_text(const ExperimentState& state, bool with_arrangement = false);

/// Restores settings_text (or a hand-written part of it), all or nothing. Parameters that the
/// text does not name go to their defaults. Throws UsageError naming the key or value that is wrong,
/// with the nearest name; DataError naming the line that is not TOML.
void apply_settings_text(Session& session, std::string_view text);

/// All that the file of a session holds.
struct SessionDocument {
  DesktopState state{};
  std::vector<std::string> recent{};                ///< as Session::recent
  std::map<std::string, LessonProgress> lessons{};  ///< as Session::lessons
  friend bool operator==(const SessionDocument&, const SessionDocument&) = default;
};
SessionDocument document_of(const Session& session);

/// The whole session: the file that the next start reads.
std::string session_text(const SessionDocument& document);

/// Reads session_text over what `base` has, as apply_session_text does, with its sentences.
std::vector<std::string> read_session_text(SessionDocument& base, std::string_view text);
/// The same settings at the defaults of their experiments.
DesktopState defaults_of(DesktopState state);

/// Restores session_text. Entries of another version that this one does not support are left out;
/// the return value has one sentence per such entry. Throws UsageError or DataError, without having
/// changed anything, when the text is not a session.
std::vector<std::string> apply_session_text(Session& session, std::string_view text);

/// The command line that gives the numbers on screen: "orrery run long_term_decay dim=256".
std::string command_text(const ExperimentState& state);

/// The command line that computes the points of a sweep: "orrery sweep long_term_decay dim=256
/// base=100,1000,10000".
std::string command_text(const LiveSweep& sweep);

/// The command line that draws the points of a saved sweep together: "orrery plot FOLDER hue=base".
std::string plot_command_text(const std::string& folder, const std::string& hue,
                              const std::string& facet);

}  // namespace orrery
