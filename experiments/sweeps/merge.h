#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/sweeps/plan.h"

namespace orrery {

/// "OUT.shards/2-of-4": the folder of a shard of the sweep whose folder is OUT.
std::filesystem::path shard_folder(const std::filesystem::path& out, Shard shard);
/// The shards beside OUT, sorted by name; none when there is no such folder.
std::vector<std::filesystem::path> shards_beside(const std::filesystem::path& out);
/// The same; throws IoError when there is none.
std::vector<std::filesystem::path> shard_folders(const std::filesystem::path& out);

/// Writes whole_plan.json beside the shards of `out`, so that they merge while some are missing.
/// Throws PlanError: there are shards of another sweep; IoError.
void keep_whole_plan(const std::filesystem::path& out, const Plan& plan);

struct MergeOutcome {
  std::size_t total{};
  std::size_t merged{};  ///< points copied by this call
  std::size_t done{};    ///< points that are in the folder now
  /// Shards that lack points which the folder lacks as well.
  std::vector<std::filesystem::path> incomplete{};
  std::vector<std::string> failures{};  ///< a message per point that failed in its shard
  /// A message per missing point that is damaged in its shard, or was written to while it was
  /// copied, and per shard whose notes are damaged.
  std::vector<std::string> damages{};
  /// Shards that are being written, which were left out, and by whom.
  std::vector<std::pair<std::filesystem::path, std::string>> held{};
  bool lacks_shards{};  ///< whether any of the n shards is missing
};

/// Copies the points of the shards into `out`, which becomes the folder that the undivided sweep
/// would have written, with the tags and the notes of all. The shards are left unchanged, and not
/// locked: who writes to one meanwhile only adds points, which the next call merges. Can be called
/// again when more points are ready. Throws PlanError: the shards belong to different sweeps;
/// LockedError: `out` is being written; IoError: there is no shard, some are missing and so is
/// whole_plan.json, or copying fails.
MergeOutcome merge_shards(const std::filesystem::path& out,
                          const std::vector<std::filesystem::path>& shards,
                          const std::vector<std::string>& argv);

}  // namespace orrery
