#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/session/session.h"

namespace orrery {

/// The files that a window starts with.
struct WindowFiles {
  std::filesystem::path session{};  ///< where the session is kept; empty: nowhere
  std::filesystem::path open{};     ///< what is opened first; may be empty
  std::string lesson{};             ///< a lesson to open; may be empty
  std::size_t step{};               ///< of it, from 1; 0: the first
};

/// Opens the desktop's window and runs it until it is closed, drawing only when something happened.
/// `start` makes the session, given the function that wakes the window from any thread. Returns
/// false, with the reason, when no window could be opened: no display, or no OpenGL.
bool run_window(const std::function<std::unique_ptr<Session>(std::function<void()> wake)>& start,
                const WindowFiles& files, std::string& reason);

}  // namespace orrery
