#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/reports/comparison.h"

namespace orrery {

/// Compares two results or two sweeps. Points are matched by id, then by repeat and settings,
/// ignoring the seed and settings with one value throughout A and another throughout B.
/// Throws UsageError when one is a result and the other a sweep; as load_result and load_sweep do,
/// and DataError when anything in either is missing or damaged.
/// @param tolerance  relative differences up to it count as none
Comparison compare_folders(const std::filesystem::path& a, const std::filesystem::path& b,
                           double tolerance = 0);

/// Tagged "orrery.comparison/1".
nlohmann::ordered_json to_json(const Comparison& comparison);
/// The comparison as plain text.
std::string comparison_text(const Comparison& comparison);

}  // namespace orrery
