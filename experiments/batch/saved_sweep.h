#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/result.h"

namespace orrery {

/// One point of a sweep, as its folder tells.
struct SavedPoint {
  std::string id{};
  std::string label{};   ///< the swept values
  std::string status{};  ///< "done", "failed" or "pending"
  std::string error{};
  int repeat{};
  /// What the plan sets; every used parameter once the point is done.
  std::vector<std::pair<std::string, std::string>> params{};
  std::vector<Scalar> scalars{};  ///< name and value
  std::vector<Check> checks{};    ///< name and numbers

  /// Empty when the parameter is not said.
  std::string param(const std::string& key) const;
  /// NaN when there is none such.
  double scalar(const std::string& name) const;
};

struct SavedSweep {
  std::filesystem::path folder{};
  std::string experiment{};
  int version{};
  std::int64_t seed{};
  int repeats{1};
  std::vector<std::string> swept{};
  std::vector<SavedPoint> points{};
  nlohmann::ordered_json manifest{};    ///< null when it is missing
  std::vector<std::string> problems{};  ///< what is missing or damaged, without the points' folders

  std::filesystem::path point_folder(const SavedPoint& point) const;
  /// Names of scalars, in the order in which points bring them up.
  std::vector<std::string> scalar_names() const;
};

/// Whether the folder holds a plan, and so is a sweep's.
bool is_saved_sweep(const std::filesystem::path& folder);

/// Reads plan.json, results.jsonl and manifest.json. Throws IoError, and DataError when the plan is
/// damaged; anything else that is damaged is said in `problems`.
SavedSweep load_sweep(const std::filesystem::path& folder);

}  // namespace orrery
