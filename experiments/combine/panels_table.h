#pragma once

#include "experiments/model/panels.h"
#include "experiments/model/result.h"

namespace orrery {

/// The numbers of a page in long form. Curves: panel, curve, x, y, low, high (of the band). Maps:
/// panel, row, column, value.
Table table_of(const Panels& page);

}  // namespace orrery
