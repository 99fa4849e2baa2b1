#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "experiments/model/result.h"

namespace orrery {

// Tables in our own JSON files, and those whose numbers are in a CSV file beside them alone.

/// Longer tables and curves are in their CSV file alone: JSON takes three times as many bytes.
inline constexpr std::size_t most_rows_in_json = 4096;

/// Whether the JSON names the table's CSV file in place of its values. Text that is not UTF-8 stays
/// in the JSON, which says so.
bool is_in_csv_alone(const Table& table);

/// The table with its values: name, caption, columns (name, unit, type, values).
nlohmann::ordered_json table_json(const Table& table);
/// The same with "file" and "rows" in place of the values.
nlohmann::ordered_json table_json(const Table& table, const std::string& file);

/// Returns a table with its values from its description (everything but them) and the path and the
/// number of rows of its file; empty to leave it out.
using TableAt =
    std::function<std::optional<Table>(Table described, const std::string& file, std::size_t rows)>;

/// The inverse of both. Throws MalformedJson, also for columns of unequal length, and what
/// `table_at` throws.
std::optional<Table> table_from_json(const nlohmann::ordered_json& json, const TableAt& table_at);

}  // namespace orrery
