#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "experiments/figure/figure.h"

namespace orrery {

inline constexpr std::string_view figure_schema = "orrery.figure/1";

/// Where an array lies, as a path within the result's folder. `role` is "values" or "masked".
using ArrayPlace =
    std::function<std::string(const std::shared_ptr<const Array>& array, std::string_view role)>;

/// An array with its numbers, from what the figure says of it (everything but them) and its place.
using ArrayAt =
    std::function<std::shared_ptr<const Array>(Array described, const std::string& path)>;

/// "lines", "heatmap", "table" or "vectors".
std::string_view kind_of(const Figure& figure);

/// All that it takes to draw the figure again, tagged "orrery.figure/1". Maps refer to their arrays
/// by file.
nlohmann::ordered_json figure_json(const Figure& figure, const ArrayPlace& place);

/// The same figure. Throws MalformedJson, and what `array_at` throws.
Figure figure_from_json(const nlohmann::ordered_json& json, const ArrayAt& array_at);

/// name, description, dtype, shape, axes.
nlohmann::ordered_json array_json(const Array& array);
/// The array without its numbers: `values` is empty, and of the right type. Throws MalformedJson.
Array array_from_json(const nlohmann::ordered_json& json);

}  // namespace orrery
