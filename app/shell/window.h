#pragma once

#include <string>

#include "app/shell/start.h"

namespace orrery {

/// Opens the desktop's window and runs it until it is closed, drawing only when something happened.
/// Returns false, with the reason, when no window could be opened: no display, or no OpenGL. Throws
/// what start_session does.
bool run_window(const StartOptions& options, std::string& reason);

}  // namespace orrery
