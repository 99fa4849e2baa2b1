#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"
#include "experiments/results/figure_options.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/point_record.h"

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

/// The largest plan.json or manifest.json that is read.
inline constexpr std::uintmax_t max_json_bytes = std::uintmax_t{1} << 30;

inline constexpr std::string_view sweep_schema = "orrery.sweep/1";

/// The outcome of one point.
struct JournalEntry {
  std::string id{};
  PointStatus status{PointStatus::done};  ///< done or failed
  /// When done, one of the two: of its result's manifest, or of its group in a pack.
  std::string manifest_sha256{}, group_sha256{};
  std::string error{};  ///< why it failed
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

/// The content of a journal: the last entry of each point.
struct JournalState {
  std::map<std::string, JournalEntry> entries{};  ///< by point id
  int damaged_lines{};      ///< lines with a wrong checksum; their points count as not done
  std::uintmax_t intact{};  ///< bytes up to the end of the last complete line
};

/// Reads a journal; a missing one is empty. An incomplete last line is not counted as damaged,
/// since a killed process leaves one. Throws IoError.
JournalState read_journal(const std::filesystem::path& path);

/// One line of JSON that ends with "sum", the first 16 digits of the SHA-256 of all before it.
std::string journal_line(const JournalEntry& entry);

/// A file that grows by whole lines, each of which has reached the disk when append returns.
class Journal {
 public:
  /// Opens or creates the file and cuts off what follows its last complete line. Throws IoError.
  Journal(std::filesystem::path path, const JournalState& state);

  /// Throws IoError; then the file is unchanged.
  void append(const JournalEntry& entry) { append({&entry, 1}); }
  void append(std::span<const JournalEntry> entries);

 private:
  std::filesystem::path path_;
  Descriptor fd_;
};

inline constexpr std::string_view plan_schema = "orrery.plan/1";
/// A plan with the points of one shard alone. Earlier versions wrote the points of all shards into
/// each, as orrery.plan/1; these are read as well.
inline constexpr std::string_view shard_schema = "orrery.shard/1";

nlohmann::ordered_json to_json(const Plan& plan);
/// How figures are written, as the plan and the manifest of a sweep state it.
nlohmann::ordered_json to_json(const FigureOptions& figures);

/// SHA-256 of all that make_plan makes a plan of but plug-ins: where it is the same, so is the plan.
/// Empty where input files are among the values, since their content counts as well.
std::string request_id(const SweepSpec& spec, const FigureOptions& figures);

/// The text of plan.json: the plan, and the SHA-256 of its own text without that line.
std::string plan_text(const Plan& plan);

/// A plan.json as it was written, not yet compared with the experiments of this program: also a
/// sweep of another version can be listed and reported.
struct PlanRecord {
  struct Point {
    std::string id{};
    std::string label{};
    Settings params{};  ///< those that are set
    Settings swept{};
    int repeat{};
    std::optional<std::int64_t> seed{};
    std::vector<std::string> file_contents{};  ///< content_id of each input file
  };

  std::string experiment{};
  int version{};
  std::int64_t seed{};
  int repeats{1};
  std::vector<std::string> swept{};
  std::size_t combinations{};
  FigureOptions figures{};
  Shard shard{};
  std::optional<Plan::Whole> whole{};
  std::vector<Point> points{};  ///< of the shard alone where `whole` is given, else of all
};

/// Reads the text of a plan.json. Throws DataError naming `display_name` when it is not a plan or
/// differs from the SHA-256 in it; plans of earlier versions have none.
PlanRecord plan_record(std::string_view text, const std::string& display_name);

/// The plan with the experiments of this program. Throws PlanError: another version of the
/// experiment, a parameter that it no longer has, an input file whose content has changed.
Plan plan_from(const PlanRecord& record, const std::string& display_name);
/// The same with the points of all shards; empty where the record has those of one alone.
std::optional<Plan> whole_plan_from(const PlanRecord& record, const std::string& display_name);

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

/// One line of results.jsonl: {"id", "label", "status", "repeat", "seed"?, "error"?, "params": {…},
/// "scalars": {name: number}, "checks": {name: {"measured", "relation", "bound", "tolerance"?,
/// "holds"}}}. "params" is empty until the point is done. NaN is null.
/// @param specs  of the experiment: numbers and truth values among the parameters are then written
///     as such; without them, and for choices and files, a parameter is a text
nlohmann::ordered_json to_json(const PointRecord& point, std::span<const ParamSpec> specs = {});

/// Takes status, error, parameters, scalars and checks from such a line. Throws MalformedJson.
void read_point(const nlohmann::ordered_json& json, PointRecord& point);

}  // namespace orrery
