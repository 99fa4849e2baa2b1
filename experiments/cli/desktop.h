#pragma once

#include <string>

#include "experiments/cli/command.h"

namespace orrery {

/// Throws IoError where there is no display for the desktop's window.
/// @param instead  what shows the same without one
void require_display(const std::string& what, const std::string& instead);

/// Replaces this process by the desktop with these arguments; returns only by throwing. Throws
/// IoError where it is not found.
int start_desktop(Words words);

}  // namespace orrery
