#pragma once

#include <string_view>

#include "tests/bench/table.h"

namespace orrery::bench {

/// Has the kernels of a level from now on, and PyTorch that is started from now on what is nearest
/// to it; false for a name that is none of this CPU's levels.
bool use_level(std::string_view name);

/// Prints what each operation takes at every level of core/kernels that this CPU has, in turns.
void print_levels(const TableOptions& options);

/// Prints what each operation that can use threads takes on one and on `most` of them, in turns.
void print_threads(const TableOptions& options, int most);

}  // namespace orrery::bench
