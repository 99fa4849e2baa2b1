#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/sweeps/measure_titles.h"
#include "experiments/sweeps/point_record.h"

namespace orrery {

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

/// The same, which is kept until another is asked for or a file of it changes: for who asks for
/// the parts of one again and again. Thread-safe.
std::shared_ptr<const SavedSweep> kept_sweep(const std::filesystem::path& folder);

/// "dim=8 (3fb7…)"; of a point without swept values its id.
std::string point_name(const PointRecord& point);

/// A message for each finished point whose files are not as they were written, or cannot be read;
/// every file of every finished point is read.
std::vector<std::string> damage_messages(const SavedSweep& sweep);
/// A message for each point that failed, and for those without a result yet, of many the first.
std::vector<std::string> points_without_result(const SavedSweep& sweep);

}  // namespace orrery
