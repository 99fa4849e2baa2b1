#pragma once

#include <string>

#include "app/session/session.h"

namespace orrery {

/// The command line that gives the numbers on screen: "orrery run long_term_decay dim=256".
std::string command_text(const ExperimentState& state);

/// The command line that computes the points of a sweep: "orrery sweep long_term_decay dim=256
/// base=100,1000,10000".
std::string command_text(const LiveSweep& sweep);

/// The command line that draws the points of a saved sweep together: "orrery plot FOLDER hue=base".
std::string plot_command_text(const std::string& folder, const std::string& hue,
                              const std::string& facet);

}  // namespace orrery
