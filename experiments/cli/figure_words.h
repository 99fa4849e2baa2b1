#pragma once

#include <string>
#include <vector>

#include "experiments/results/figure_options.h"

namespace orrery::cli {

/// The options of a command line that say how figures are written, where they are not the defaults.
std::vector<std::string> figure_words(const FigureOptions& figures);

/// What such options among the words of a command line say; all others are passed over. Throws
/// UsageError for a page that there is not.
FigureOptions figures_in(const std::vector<std::string>& argv);

}  // namespace orrery::cli
