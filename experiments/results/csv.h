#pragma once

#include <string>

#include "experiments/model/result.h"
#include "experiments/results/figure_table.h"  // table_of(figure)

namespace orrery::results {

/// The table as RFC 4180: one header line of the plain column names, lines end in CRLF, text is
/// quoted where necessary. Numbers have 17 significant digits (%.17g) and read back as the same
/// doubles; numbers that are not finite are nan, inf and -inf.
std::string csv_text(const Table& table);

}  // namespace orrery::results
