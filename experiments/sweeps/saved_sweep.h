#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/sweeps/measure_titles.h"
#include "experiments/sweeps/point_record.h"

namespace orrery::sweeps {

/// A sweep as its folder records it, without the results of its points.
struct SavedSweep {
  std::filesystem::path folder{};
  std::string experiment{};
  int version{};
  std::int64_t seed{};
  int repeats{1};
  std::vector<std::string> swept{};
  std::vector<PointRecord> points{};
  std::vector<MeasureTitle> measures{};  ///< empty in sweeps of earlier versions
  nlohmann::ordered_json manifest{};     ///< null when it is missing
  std::vector<std::string> problems{};   ///< files and lines that are missing or damaged
};

/// Reads plan.json, results.jsonl, measures.csv and manifest.json. Throws IoError, and DataError
/// when the plan is damaged; everything else that is missing or damaged is listed in `problems`.
SavedSweep load_sweep(const std::filesystem::path& folder);

}  // namespace orrery::sweeps
