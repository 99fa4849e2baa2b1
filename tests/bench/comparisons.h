#pragma once

#include "tests/bench/table.h"

namespace orrery::bench {

/// Prints what each operation takes at every level of core/kernels that this CPU has, in turns.
void print_levels(const TableOptions& options);

/// Prints what each operation that can use threads takes on one and on `most` of them, in turns.
void print_threads(const TableOptions& options, int most);

}  // namespace orrery::bench
