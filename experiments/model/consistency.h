#pragma once

#include <string>

#include "experiments/model/figure.h"
#include "experiments/model/result.h"

namespace orrery {

// What every sink of figures and tables relies on. Figures and tables made here have these
// properties; readers of files check them.

/// The first rule that the figure breaks, as a sentence without its full stop; empty when it breaks
/// none. Each series has as many y as x, and no band or one of that length. A heatmap has a matrix
/// with at least one value, a mask of the same shape, and no labels or one per row and column. A
/// row of a table has at most as many cells as the header. The ends of a range are in order, a
/// threshold is positive and a colour is not negative.
std::string inconsistency_of(const Figure& figure);

/// The same for a table: all columns have the same length.
std::string inconsistency_of(const Table& table);

}  // namespace orrery
