#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/result.h"

namespace orrery {

inline constexpr std::string_view result_schema = "orrery.result/1";

/// The result without the data of its figures and arrays, tagged "orrery.result/1": provenance,
/// status, scalars, checks (with "holds"), tables (columns with unit, type and values), figures
/// (id, kind, title, caption), arrays (name, description, dtype, shape, axes). Doubles read back as
/// the same doubles. JSON has no word for what is not finite: those are the strings "nan", "inf"
/// and
/// "-inf".
nlohmann::ordered_json to_json(const Result& result);

/// Nothing, and null, leave the figure or array out.
using FigureNamed = std::function<std::optional<Figure>(const std::string& id)>;
/// The array with its numbers, from all that is said of it but them.
using ArrayNamed = std::function<std::shared_ptr<const Array>(Array described)>;

/// The same result, with its figures and arrays asked for in their order. Arrays come first, as
/// figures refer to them. Throws MalformedJson, and what the two throw.
Result result_from_json(const nlohmann::ordered_json& json, const FigureNamed& figure,
                        const ArrayNamed& array);

/// As a file: indented by two spaces, ending in a newline, always UTF-8 (other bytes, as a path may
/// hold, become U+FFFD).
std::string json_text(const nlohmann::ordered_json& json);
/// The same as one line: for data.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace orrery
