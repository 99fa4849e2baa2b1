#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace orrery {

/// The number; null for a NaN or an infinity, which JSON does not have.
nlohmann::ordered_json finite_json(double value);
nlohmann::ordered_json finite_list_json(const std::vector<double>& values);
}  // namespace orrery
