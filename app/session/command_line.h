#pragma once

#include <string>

#include "app/session/session.h"

namespace orrery::session {

/// The command line that gives the numbers on screen: "orrery run long_term_decay dim=256".
std::string command_text(const ExperimentState& state);

}  // namespace orrery::session
