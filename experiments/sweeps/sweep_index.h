#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/model/result.h"
#include "experiments/sweeps/point_record.h"

namespace orrery {

// Saved results for readers above, the desktop among them: standard types alone.

/// The points of a folder, without their results. A single result is a list of one point.
struct SweepIndex {
  std::filesystem::path folder{};
  bool is_sweep{};
  std::string experiment{};
  std::vector<PointRecord> points{};
  std::vector<std::string> scalars{};   ///< names, in the order in which the points first have them
  std::vector<std::string> problems{};  ///< what is missing or damaged
};

/// Reads the folder of a sweep (running, interrupted or finished) or of a single result. Throws
/// IoError; DataError when its plan or manifest is damaged, or when it contains neither.
SweepIndex read_index(const std::filesystem::path& folder);

/// The origin of a saved result (program, machine, run) from its manifest, and the tags and the
/// note on it, as name and text.
using FolderFacts = std::vector<std::pair<std::string, std::string>>;

/// Adds the tags and the note on a result or a sweep; of damaged ones what is wrong with them.
void add_notes(FolderFacts& facts, const std::filesystem::path& folder);

/// Throws what SavedFolder throws.
FolderFacts saved_facts(const std::filesystem::path& folder);

/// The result in a folder, see load_result.
Result saved_result(const std::filesystem::path& folder);

}  // namespace orrery
