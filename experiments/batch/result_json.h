#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/result.h"

namespace orrery {

/// The result without the data of its figures and arrays, tagged "orrery.result/1": provenance,
/// status, scalars, checks (with "holds"), tables (columns with unit and values), figures (id,
/// kind, title, caption), arrays (name, description, dtype, shape, axes). Doubles read back as the
/// same doubles. JSON has no word for what is not finite: those are the strings "nan", "inf" and
/// "-inf".
nlohmann::ordered_json to_json(const Result& result);

/// As a file: indented by two spaces, ending in a newline, always UTF-8 (other bytes, as a path may
/// hold, become U+FFFD).
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace orrery
