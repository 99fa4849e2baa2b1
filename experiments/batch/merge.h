#pragma once

#include <filesystem>
#include <vector>

#include "experiments/batch/plan.h"

namespace orrery {

/// "OUT.shards/2-of-4": where a shard of the sweep that is written to OUT lies.
std::filesystem::path shard_folder(const std::filesystem::path& out, Shard shard);
/// The shards beside OUT, by name.
std::vector<std::filesystem::path> shard_folders(const std::filesystem::path& out);

struct MergeOutcome {
  std::size_t total{};
  std::size_t merged{};  ///< points copied by this call; those that were there before are not
  std::size_t failed{};  ///< points that failed in their shard
  std::vector<std::filesystem::path> incomplete{};  ///< shards with points that are still to come
  bool lacks_shards{};                              ///< not all of the n shards are there
};

/// Copies the points of the shards into `out`, which becomes the folder that the undivided sweep
/// would have written. The shards stay as they are. Can be called again when more is ready. Throws
/// PlanError: the shards are of different sweeps; LockedError: one is being written; IoError: no
/// shard, or what copying says.
MergeOutcome merge_shards(const std::filesystem::path& out,
                          const std::vector<std::filesystem::path>& shards,
                          const std::vector<std::string>& argv);

}  // namespace orrery
