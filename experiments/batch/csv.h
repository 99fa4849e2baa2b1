#pragma once

#include <string>

#include "experiments/batch/figure_table.h"  // what a figure shows, as a Table
#include "experiments/result.h"

namespace orrery {

/// The table as RFC 4180: one header line of the plain column names, lines end in CRLF, text is
/// quoted where it must be. Numbers have 17 significant digits (%.17g) and read back as the same
/// doubles; what is not finite is nan, inf or -inf.
std::string csv_text(const Table& table);

}  // namespace orrery
