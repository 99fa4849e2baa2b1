#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/result.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/table_json.h"
#include "experiments/verify/claims.h"

namespace orrery {

inline constexpr std::string_view result_schema = "orrery.result/1";

/// The result without the data of its figures and arrays, tagged "orrery.result/1": provenance,
/// status, scalars, checks (with "holds"), tables (columns with unit, type and values), figures
/// (id, kind, title, caption), arrays (name, description, dtype, shape, axes). Doubles read back as
/// the same doubles. NaN is null, and infinities are the strings "inf" and "-inf".
/// @param csv_folder  where tables are as NAME.csv: long ones name that file in place of their
///                    values, see is_in_csv_alone. Empty: all values are in the JSON.
nlohmann::ordered_json to_json(const Result& result, std::string_view csv_folder = {});

/// Returns the figure with this id; empty to leave it out.
using FigureNamed = std::function<std::optional<Figure>(const std::string& id)>;
/// Returns the described array with its numbers; null to leave it out.
using ArrayNamed = std::function<std::shared_ptr<const Array>(Array described)>;

/// The inverse of to_json. Long tables, arrays and figures are requested from the functions in
/// their order, arrays before the figures that refer to them. Throws MalformedJson, and what the
/// functions throw.
Result result_from_json(const nlohmann::ordered_json& json, const FigureNamed& figure,
                        const ArrayNamed& array, const TableAt& table_at);

/// Provenance, status, scalars and checks of such a text; what follows them is not read. Throws
/// MalformedJson.
Result result_head(std::string_view text);

/// The text of a JSON file: indented by two spaces, ending in a newline, always UTF-8 (other bytes,
/// which a path may contain, become U+FFFD).
std::string json_text(const nlohmann::ordered_json& json);
/// The same on one line, for large data.
std::string json_line(const nlohmann::ordered_json& json);

/// The numbers of a check: measured, relation, bound, tolerance (for "equals" only), holds.
nlohmann::ordered_json check_numbers_json(const Check& check);

/// Reads the same fields into a check without a name. Throws MalformedJson.
Check check_numbers_from(const nlohmann::ordered_json& json);

/// A list of objects: name, kind, source, equation, statement, precision, over, the numbers of a
/// check, and "roformer_differs" where there is such a difference. A note has a measured number
/// alone.
nlohmann::ordered_json claims_json(const std::vector<Claim>& claims);

/// Those of which a name, statement, equation, source or kind has `part` in it. Throws UsageError when
/// there is none.
std::vector<Claim> matching_claims(std::vector<Claim> claims, const std::string& part);

}  // namespace orrery
