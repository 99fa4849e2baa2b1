#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "experiments/model/figure.h"
#include "experiments/results/curves_json.h"
#include "experiments/results/table_json.h"

namespace orrery {

inline constexpr std::string_view figure_schema = "orrery.figure/1";

/// Returns the path of an array within the result's folder. `role` is "values" or "masked".
using ArrayPlace =
    std::function<std::string(const std::shared_ptr<const Array>& array, std::string_view role)>;

/// Returns an array with its numbers, from its description (everything but them) and its path.
using ArrayAt =
    std::function<std::shared_ptr<const Array>(Array described, const std::string& path)>;

/// "lines", "heatmap", "table" or "vectors".
std::string_view kind_of(const Figure& figure);

/// Everything needed to draw the figure again, tagged "orrery.figure/1". Heatmaps refer to their
/// arrays by file.
/// @param csv_folder  where the tables of figures are as ID.csv: long curves refer to that file,
///                    see curves_json.h. Empty: they are in the JSON.
nlohmann::ordered_json figure_json(const Figure& figure, const ArrayPlace& place,
                                   std::string_view csv_folder = {});

/// The inverse of figure_json. Throws MalformedJson, also for a figure that breaks a rule of
/// model/consistency.h, and what `array_at` and `table_at` throw.
Figure figure_from_json(const nlohmann::ordered_json& json, const ArrayAt& array_at,
                        const TableAt& table_at);

/// name, description, dtype, shape, axes, role.
nlohmann::ordered_json array_json(const Array& array);
/// The array without its numbers: `values` is empty but has the right type. Throws MalformedJson.
Array array_from_json(const nlohmann::ordered_json& json);

}  // namespace orrery
