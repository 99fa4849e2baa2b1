#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "experiments/model/figure.h"
#include "experiments/results/table_json.h"

namespace orrery {

/// Adds the curves of a figure to its content, as "series". Where one has more than
/// most_rows_in_json points and the figure's table (table_of) is as ID.csv in csv_folder, "table"
/// describes that file, and such a curve names its columns, its first row and its number of rows
/// in place of its numbers.
void add_curves(nlohmann::ordered_json& content, const Figure& figure, const LinePlot& plot,
                std::string_view csv_folder);

/// The inverse. Throws MalformedJson, and what `table_at` throws.
std::vector<Series> curves_from(const nlohmann::ordered_json& content, const TableAt& table_at);

}  // namespace orrery
