#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session.h"

namespace orrery {

// State as text that people read and write: TOML. What is copied of one experiment without its
// figure is a sweep file as well.

/// The settings of the experiment on screen: its name, what differs from the defaults, and the part
/// of the figure that is shown.
std::string settings_text(const ExperimentState& state);

/// Brings settings_text (or a hand-written part of it) back, all or nothing. Parameters that the
/// text does not name go to their defaults. Throws UsageError naming the line, key or value that is
/// wrong, with the nearest name.
void apply_settings_text(Session& session, std::string_view text);

/// Everything: the file that the next start reads.
std::string session_text(const Session& session);

/// Brings session_text back. What another version of the program wrote and this one does not know
/// is left out and told in the return value, one sentence each. Throws UsageError when the text is
/// no session at all, without having changed anything.
std::vector<std::string> apply_session_text(Session& session, std::string_view text);

}  // namespace orrery
