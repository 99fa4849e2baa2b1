#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/session.h"

namespace orrery {

/// Opens the desktop's window and runs it until it is closed, drawing only when something happened.
/// `start` makes the session, given the function that wakes the window from any thread; it is kept
/// in `session_file`, if that is not empty. Returns
/// false, with the reason, when no window could be opened: no display, or no OpenGL.
bool run_window(const std::function<std::unique_ptr<Session>(std::function<void()> wake)>& start,
                const std::filesystem::path& session_file, std::string& reason);

}  // namespace orrery
