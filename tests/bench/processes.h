#pragma once

#include <string>

#include "tests/bench/table.h"

namespace orrery::bench {

/// Prints what whole runs of the program take, time and peak memory, in turns with scripts in NumPy
/// and matplotlib (numpy_scripts.py) where options.peers names a Python that has them.
void print_processes(const TableOptions& options, const std::string& program);

}  // namespace orrery::bench
