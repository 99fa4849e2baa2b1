#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/result_files.h"
#include "experiments/sweeps/journal.h"
#include "experiments/sweeps/plan_json.h"

namespace orrery {

// A sweep's folder:
//   plan.json       what is to be computed: written first, replaced only by a plan with more points
//   journal.jsonl   the outcome of each point, appended as it happens; in the plan's order once
//                   every point has one
//   points/ID/      one result folder per point, see result_folder.h; without figures in
//   points.zip      files, all of them lie in this pack instead, see zip_pack.h
//   results.jsonl   one line per point in the plan's order
//   results.csv     one row per point and encoding, one column per measure; constants.csv has the
//                   settings that are the same everywhere, summary.csv the means over repeats,
//                   measures.csv what the measures are
//   manifest.json   program, machine, and every call that worked on the folder, with its times
// A shard of a sweep has the same, with the points of that shard alone; whole_plan.json beside the
// shards has the points of all.
// Everything but the calls in manifest.json follows from the plan, byte for byte.

inline constexpr const char* plan_file = "plan.json";
inline constexpr const char* whole_plan_file = "whole_plan.json";
inline constexpr const char* points_file = "points.zip";
inline constexpr const char* journal_file = "journal.jsonl";
inline constexpr const char* results_file = "results.jsonl";
inline constexpr const char* results_csv_file = "results.csv";
inline constexpr const char* constants_file = "constants.csv";
inline constexpr const char* summary_file = "summary.csv";
inline constexpr const char* measures_file = "measures.csv";
inline constexpr const char* manifest_file = "manifest.json";

/// The largest plan.json or manifest.json that is read.
inline constexpr std::uintmax_t max_json_bytes = std::uintmax_t{1} << 30;

inline constexpr std::string_view sweep_schema = "orrery.sweep/1";

std::filesystem::path point_folder(const std::filesystem::path& sweep, const std::string& id);

/// Whether there is a plan.json. Throws IoError where that cannot be found out.
bool is_sweep_folder(const std::filesystem::path& folder);

/// The folder's plan as it was written. Throws IoError: there is none; what plan_record throws.
PlanRecord read_plan_record(const std::filesystem::path& folder);
/// The same against the experiments of this program. Throws also what plan_from throws.
Plan read_plan(const std::filesystem::path& folder);

/// The entry of a point that is done.
/// @param group  its bytes in a pack; empty for a folder, which counts by its manifest
JournalEntry done_entry(const std::string& id, std::string_view group,
                        const std::string& manifest_sha256);

/// The entry of a point that the journal has lost: its folder is whole as its manifest lists it,
/// and the manifest is of this point's command and this version of the experiment. Else empty.
std::optional<JournalEntry> proven_entry(const std::filesystem::path& sweep, const Plan& plan,
                                         const PlanPoint& point);

/// A point as the journal has it, and as its folder is found.
struct PointState {
  PointStatus status{PointStatus::pending};
  /// What is wrong with the folder of a point that the journal calls done: "result.json differs
  /// from its SHA-256", or the system's reason why it cannot be read. Such a point is pending: it
  /// will be computed again. Empty where the group is the recorded one, or the manifest is and every
  /// file is as it lists it.
  std::string damage{};
};
PointState point_state(const std::filesystem::path& sweep, const JournalState& journal,
                       const std::string& id);
/// The same of a point that the journal calls done, whose files are at hand.
PointState point_state(const ResultFiles& found, const JournalState& journal,
                       const std::string& id);

/// The same of many points, in their order.
std::vector<PointState> point_states(const std::filesystem::path& sweep,
                                     const JournalState& journal,
                                     std::span<const PlanPoint* const> points);

/// Does work for the points 0 … count − 1: for few of them on the calling thread in their order,
/// for many on all threads.
void for_points(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace orrery
