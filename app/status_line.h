#pragma once

#include <optional>
#include <string>

#include "app/actions.h"
#include "app/session.h"
#include "app/ui.h"

namespace orrery {

/// What a session does not know of itself.
struct StatusWords {
  std::string verb{"computed"};  ///< how the result came here
  std::string note{};            ///< what was done last; empty: how to find what can be done
};

/// Compute time, seed, precision and checks of the result on screen; while a job runs, its progress
/// and a button that stops it. Draws into the current window.
/// Returns what was clicked: the checks, or nothing.
std::optional<ActionId> draw_status(Session& session, const StatusWords& words, const Ui& ui);
/// "12 checks hold", "11 checks hold, 1 fails".
std::string checks_text(const Result& result);

/// What went wrong, with the ways out. Draws into the current window.
void draw_message(Session& session);
/// The height that draw_message takes at a width.
double message_height(const Session& session, double width, const Ui& ui);

/// "12 ms", "3.4 s".
std::string duration_text(double seconds);

}  // namespace orrery
