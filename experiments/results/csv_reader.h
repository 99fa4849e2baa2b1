#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "experiments/model/result.h"

namespace orrery {

/// The table that csv_text wrote, to the bit; every NaN is the same one.
/// @param described  the table without values: its columns have the names and the types
/// @param rows       as many as the file has; empty where that is not known
/// Throws DataError naming the file, `name`: the text is not of the form that csv_text writes, is
/// not UTF-8, or has other columns or another number of rows.
Table read_csv(std::string_view csv, Table described, std::optional<std::size_t> rows,
               std::string_view name);

}  // namespace orrery
