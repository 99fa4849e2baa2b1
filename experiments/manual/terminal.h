#pragma once

#include <string>
#include <vector>

#include "experiments/manual/topic.h"

namespace orrery {

/// The page as plain text in lines of at most `width` columns; only lines of code may be longer.
std::string terminal_text(const Topic& topic, std::size_t width = 80);

/// Rows of a table in aligned columns. The widest column is broken into lines where that is needed.
std::vector<std::string> table_lines(const Grid& grid, std::size_t width);

}  // namespace orrery
