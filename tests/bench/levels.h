#pragma once

#include "tests/bench/table.h"

namespace orrery::bench {

/// Prints what each operation takes at every level of core/kernels that this CPU has, in turns.
void print_levels(const TableOptions& options);

}  // namespace orrery::bench
