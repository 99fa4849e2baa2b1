#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/result.h"

namespace orrery {

// Saved results as a reader of any program part may have them: standard types alone.

/// One result of a folder that is browsed.
struct BrowsedPoint {
  std::string label{};             ///< the swept values; of a single result its folder's name
  std::string status{};            ///< "done", "failed" or "pending"
  std::string error{};             ///< of a failed one
  std::filesystem::path folder{};  ///< of its result
  std::vector<Scalar> scalars{};   ///< name and value
  std::size_t checks{};
  std::size_t holding{};  ///< how many of the checks hold

  /// NaN when there is none such.
  double scalar(const std::string& name) const;
};

/// What a folder holds, without the results themselves.
struct BrowsedFolder {
  std::filesystem::path folder{};
  bool is_sweep{};
  std::string experiment{};  ///< of a sweep
  std::vector<BrowsedPoint> points{};
  std::vector<std::string> scalars{};   ///< names, in the order in which points bring them up
  std::vector<std::string> problems{};  ///< what of it is missing or damaged
};

/// Reads the folder of a sweep, running, interrupted or finished, or of a single result. Throws
/// IoError; DataError when its plan or manifest is damaged or it holds neither.
BrowsedFolder browse_folder(const std::filesystem::path& folder);

/// How a saved result came about: program, machine, run, from its manifest; in words, name by name.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Throws what SavedFolder does.
Facts saved_facts(const std::filesystem::path& folder);

/// The result of a folder, see load_result.
Result saved_result(const std::filesystem::path& folder);

}  // namespace orrery
