#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/model/result.h"
#include "experiments/results/figure_table.h"  // table_of(figure)

namespace orrery {

/// Stands before text that a spreadsheet would run, as OWASP's "CSV Injection" advises: such a cell
/// is shown without it and not computed.
inline constexpr std::string_view formula_guard = "'";

/// Whether a spreadsheet may take the text for a formula: it begins with =, +, -, @, a tab or a
/// return, and is no number. Also text of this kind after any number of guards, so that taking one
/// away is the inverse of putting one there.
bool is_formula(std::string_view text);

/// The table as RFC 4180: one header line of the plain column names, lines end in CRLF, text is
/// quoted where necessary, and has a guard where it is_formula. Numbers have 17 significant digits
/// (%.17g) and read back as the same doubles; numbers that are not finite are nan, inf and -inf.
std::string csv_text(const Table& table);

/// The table that csv_text wrote, to the bit; every NaN is the same one.
/// @param described  the table without values: its columns have the names and the types
/// @param rows       as many as the file has; empty where that is not known
/// Throws DataError naming the file, `name`: the text is not of the form that csv_text writes, is
/// not UTF-8, or has other columns or another number of rows.
Table read_csv(std::string_view csv, Table described, std::optional<std::size_t> rows,
               std::string_view name);

}  // namespace orrery
