#pragma once

#include <string>
#include <string_view>

#include "app/session.h"

namespace orrery {

/// A word as a POSIX shell reads it back: quoted only where it must be.
std::string shell_word(std::string_view word);

/// The command line that gives the numbers on screen: "orrery run long_term_decay dim=256".
std::string command_text(const ExperimentState& state);

}  // namespace orrery
