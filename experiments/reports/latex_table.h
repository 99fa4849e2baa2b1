#pragma once

#include <string>
#include <vector>

#include "experiments/sweeps/tidy_table.h"

namespace orrery {

/// A LaTeX table (with the package booktabs) of a sweep: a row per setting and encoding, a column
/// per measure; over repeats the mean ± half of its 95 % interval. What is the same everywhere is
/// in the caption. @param measures  those shown; empty: all that differ
/// Throws UsageError for one that the sweep does not have.
std::string latex_table(const TidyTable& table, const std::vector<std::string>& measures,
                        const std::string& title);

}  // namespace orrery
