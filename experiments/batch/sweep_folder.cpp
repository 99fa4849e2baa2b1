#include "experiments/batch/sweep_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "experiments/batch/folder_swap.h"
#include "experiments/batch/manifest.h"
#include "experiments/batch/result_json.h"
#include "experiments/data/file.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_json_bytes = std::uintmax_t{1} << 30;
constexpr const char* plan_file = "plan.json";
constexpr const char* journal_file = "journal.jsonl";
constexpr const char* manifest_file = "manifest.json";

/// Makes the folder if it is not there.
fs::path made(fs::path folder) {
  make_folders(folder);
  return folder;
}

/// The first entry that no sweep would have left before its plan, or empty.
std::string foreign_entry(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name != ".lock") return name;
  }
  if (failure) throw io_error(folder.string(), "read", failure.value());
  return {};
}

/// The calls that a manifest records so far; one that is damaged or missing has none.
Json earlier_calls(const fs::path& path) {
  std::error_code failure;
  if (!fs::exists(path, failure)) return Json::array();
  const Json json =
      Json::parse(read_file(path, max_json_bytes), nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("calls") ? json["calls"] : Json::array();
}

bool has_listed_files(const fs::path& folder, const Json& manifest) {
  if (!manifest.is_object() || !manifest.contains("files")) return false;
  for (const Json& file : manifest["files"]) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(folder / file.value("path", ""), failure);
    if (failure || bytes != file.value("bytes", std::uintmax_t{0})) return false;
  }
  return true;
}

}  // namespace

fs::path point_folder(const fs::path& sweep, const std::string& id) {
  return sweep / "points" / id;
}

bool is_sweep_folder(const fs::path& folder) {
  std::error_code missing;
  return fs::is_regular_file(folder / plan_file, missing);
}

Plan read_plan(const fs::path& folder) {
  if (!is_sweep_folder(folder))
    throw IoError(folder.string(), "holds no plan.json, so it is not a sweep's folder",
                  "name the folder that sweep wrote, or start with orrery sweep");
  return plan_from_json(read_file(folder / plan_file, max_json_bytes), folder.string());
}

bool is_complete(const fs::path& sweep, const JournalEntry& entry) {
  if (entry.outcome != JournalEntry::Outcome::done) return false;
  const fs::path folder = point_folder(sweep, entry.id);
  std::error_code missing;
  if (!fs::is_regular_file(folder / manifest_file, missing)) return false;
  const std::string bytes = read_file(folder / manifest_file, max_json_bytes);
  return sha256_hex(bytes) == entry.manifest_sha256 &&
         has_listed_files(folder, Json::parse(bytes, nullptr, /*allow_exceptions=*/false));
}

SweepFolder::SweepFolder(fs::path folder, const Plan& plan)
    : folder_(made(std::move(folder))), lock_(folder_) {
  establish(plan);
  make_folders(folder_ / "points");
  remove_leftovers(folder_ / "points");
  state_ = read_journal(folder_ / journal_file);
  journal_.emplace(folder_ / journal_file, state_);
  sync_folder(folder_);
}

/// The plan is on the disk before anything else, so that whatever comes later can be resumed.
void SweepFolder::establish(const Plan& plan) {
  remove_leftovers(folder_);
  if (is_sweep_folder(folder_)) {
    const std::vector<std::string> differences = plan_differences(read_plan(folder_), plan);
    if (!differences.empty()) throw PlanError(folder_.string(), differences);
    return;
  }
  const std::string foreign = foreign_entry(folder_);
  if (!foreign.empty())
    throw IoError(folder_.string(), fmt::format("holds {} and no plan.json", foreign),
                  "choose a new or empty folder with --out");
  replace_file(folder_ / plan_file, json_text(to_json(plan)));
}

std::vector<const PlanPoint*> SweepFolder::pending(const Plan& plan) const {
  std::vector<const PlanPoint*> left;
  for (const PlanPoint* point : plan.own_points()) {
    const auto entry = state_.entries.find(point->id);
    if (entry == state_.entries.end() || !is_complete(folder_, entry->second))
      left.push_back(point);
  }
  return left;
}

void SweepFolder::record(const JournalEntry& entry) {
  journal_->append(entry);
  state_.entries[entry.id] = entry;
}

/// Puts the journal in the plan's order when every point has its entry.
void SweepFolder::order_journal(const Plan& plan) {
  std::string ordered;
  for (const PlanPoint* point : plan.own_points()) {
    const auto entry = state_.entries.find(point->id);
    if (entry == state_.entries.end()) return;
    ordered += journal_line(entry->second);
  }
  journal_.reset();
  replace_file(folder_ / journal_file, ordered);
  state_ = read_journal(folder_ / journal_file);
  journal_.emplace(folder_ / journal_file, state_);
}

std::vector<PointRow> SweepFolder::finish(const Plan& plan, const Json& call) {
  std::vector<PointRow> rows = point_rows(folder_, plan, state_);
  replace_file(folder_ / "results.jsonl", results_jsonl(rows));
  replace_file(folder_ / "results.csv", results_csv(plan, rows));
  order_journal(plan);
  Json calls = earlier_calls(folder_ / manifest_file);
  if (!call.is_null()) calls.push_back(call);
  const Json manifest{{"schema", sweep_schema},
                      {"program", program_json()},
                      {"machine", machine_json()},
                      {"experiment", plan.experiment->info().name},
                      {"version", plan.experiment->info().version},
                      {"calls", std::move(calls)}};
  replace_file(folder_ / manifest_file, json_text(manifest));
  return rows;
}

}  // namespace orrery
