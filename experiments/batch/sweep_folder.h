#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/batch/folder_lock.h"
#include "experiments/batch/journal.h"
#include "experiments/batch/plan.h"
#include "experiments/batch/sweep_results.h"

namespace orrery {

// A sweep's folder:
//   plan.json       what is computed: written first, never changed
//   journal.jsonl   what became of each point, line by line as it happens; in the plan's order when
//                   all is done
//   points/ID/      a result folder a point, see result_folder.h
//   results.jsonl   one line a point in the plan's order; results.csv the same as a table
//   manifest.json   program, machine, and every call that worked on the folder with its times
// All bytes but those of the calls in manifest.json follow from the plan.

inline constexpr std::string_view sweep_schema = "orrery.sweep/1";

std::filesystem::path point_folder(const std::filesystem::path& sweep, const std::string& id);

/// Whether there is a plan.json.
bool is_sweep_folder(const std::filesystem::path& folder);

/// Throws IoError: there is no plan; what plan_from_json throws.
Plan read_plan(const std::filesystem::path& folder);

/// A sweep's folder held by this process.
class SweepFolder {
 public:
  /// Makes the folder with its plan, or takes up one that has the same plan. Throws LockedError;
  /// PlanError when the plan there is another; IoError when the folder holds something else.
  SweepFolder(std::filesystem::path folder, const Plan& plan);

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path point(const std::string& id) const { return point_folder(folder_, id); }
  /// The points of this shard that have no complete result here. Points that failed are among them.
  std::vector<const PlanPoint*> pending(const Plan& plan) const;
  /// Journal lines that were damaged; their points are computed again.
  int damaged_lines() const { return state_.damaged_lines; }

  /// Throws IoError. Not for two threads at once.
  void record(const JournalEntry& entry);
  /// Writes results.jsonl, results.csv and manifest.json, and, when every point has its entry, puts
  /// the journal in the plan's order.
  /// @param call  what is added to the manifest's calls; null adds nothing
  /// @return what there is to say of each point
  std::vector<PointRow> finish(const Plan& plan, const nlohmann::ordered_json& call);

 private:
  void establish(const Plan& plan);
  void order_journal(const Plan& plan);

  std::filesystem::path folder_;
  FolderLock lock_;
  JournalState state_{};
  std::optional<Journal> journal_{};
};

/// Whether the entry says done, and the point's folder is all there: its manifest is the recorded
/// one, and every file that it lists has its size.
bool is_complete(const std::filesystem::path& sweep, const JournalEntry& entry);

}  // namespace orrery
