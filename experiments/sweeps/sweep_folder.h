#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/data/zip_pack.h"
#include "experiments/files/folder_lock.h"
#include "experiments/model/progress.h"
#include "experiments/results/result_folder.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/sweep_results.h"

namespace orrery {

/// A result could not be written as it was asked for: not a failure of the point, so it ends the sweep.
class CannotWrite : public std::exception {
 public:
  /// @param cause  the exception that is being handled
  explicit CannotWrite(const std::exception& cause) : message_(cause.what()) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const std::exception_ptr& cause() const { return cause_; }

 private:
  std::string message_;
  std::exception_ptr cause_{std::current_exception()};
};

/// Draws the figures of a result before it is written, or leaves that to the writing.
using Draw = std::function<WriteOptions(const Result&, WriteOptions)>;

/// Computes one point and writes it, not yet to the disk. Throws CannotWrite, and what
/// Experiment::run and load_inputs do.
StagedResult stage_point(const Plan& plan, const PlanPoint& point,
                         const std::filesystem::path& folder, Progress& progress, const Draw& draw);

/// Computes one point and what it takes of the disk, where nothing of it is left. Throws the same.
std::uintmax_t bytes_of_point(const Plan& plan, const PlanPoint& point,
                              const std::filesystem::path& folder, Progress& progress);

/// A sweep's folder, locked by this process.
class SweepFolder {
 public:
  /// Makes the folder with its plan, or continues one that has the same plan or a part of it; the
  /// points that are there are kept. Throws LockedError; PlanError when the folder has another
  /// plan; IoError when it contains something else.
  SweepFolder(std::filesystem::path folder, const Plan& plan);

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path point(const std::string& id) const { return point_folder(folder_, id); }
  /// The points of this shard without a complete result when this folder was taken, those that
  /// failed included.
  std::vector<const PlanPoint*> pending(const Plan& plan) const;
  /// One message per point of this shard that was done and is damaged: it is pending again.
  std::vector<std::string> damages(const Plan& plan) const;
  /// As it was read, and with what record() has added.
  const JournalState& journal() const { return state_; }
  /// Journal lines that were damaged; their points are computed again.
  int damaged_lines() const { return state_.damaged_lines; }

  /// Brings results to their places, with one wait for the disk. Throws IoError; LockedError, also
  /// from the functions below: another process has taken the folder over, and nothing is written.
  void keep(std::span<const StagedResult> results);
  /// The same of results in groups of a pack.
  void keep_groups(std::span<const std::string_view> groups);
  /// Appends to the journal, with one wait for the disk. Throws IoError. Not thread-safe.
  void record(std::span<const JournalEntry> entries);
  void record(const JournalEntry& entry) { record({&entry, 1}); }
  /// Writes results.jsonl, results.csv and manifest.json and, once every point has its entry, puts
  /// the journal in the plan's order.
  /// @param call  is appended to the manifest's calls unless it is null
  std::vector<PointRecord> finish(const Plan& plan, const nlohmann::ordered_json& call);

 private:
  /// What the points' files were found to be when this was first asked.
  const std::vector<PointState>& states(const Plan& plan) const;
  void establish(const Plan& plan);
  void adopt_points(const Plan& plan);
  void make_room_for_points(const Plan& plan);
  void order_journal(const Plan& plan);
  void write_tables(const Plan& plan, const std::vector<PointRecord>& points) const;
  void finish_pack(const std::vector<PointRecord>& points);

  std::filesystem::path folder_;
  FolderLock lock_;
  JournalState state_{};
  mutable std::vector<PointState> states_{};  ///< by point of the plan; empty until they are asked
  std::optional<Journal> journal_{};
  std::optional<GrowingZipPack> pack_{};  ///< where the points lie in one
};

}  // namespace orrery
