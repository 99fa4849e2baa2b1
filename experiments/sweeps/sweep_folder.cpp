#include "experiments/sweeps/sweep_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/manifest.h"
#include "experiments/results/result_json.h"

namespace orrery::sweeps {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_json_bytes = std::uintmax_t{1} << 30;

/// Makes the folder if needed.
fs::path made(fs::path folder) {
  make_folders(folder);
  return folder;
}

/// The first entry that a sweep does not leave before its plan is written; empty if there is none.
std::string foreign_entry(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::string name = entry->path().filename().string();
    if (name != ".lock") return name;
  }
  if (failure) throw io_error(folder.string(), "read", failure.value());
  return {};
}

/// The calls in a manifest; none when it is damaged or missing.
Json earlier_calls(const fs::path& path) try {
  std::error_code failure;
  if (!fs::exists(path, failure)) return Json::array();
  return list_field(json_in(read_file(path, max_json_bytes)), "calls");
} catch (const MalformedJson&) {
  return Json::array();
}

}  // namespace

SweepFolder::SweepFolder(fs::path folder, const Plan& plan)
    : folder_(made(std::move(folder))), lock_(folder_) {
  establish(plan);
  std::error_code missing;
  if (fs::is_symlink(folder_ / "points", missing))
    throw io_error((folder_ / "points").string(), "written", ELOOP);
  make_folders(folder_ / "points");
  remove_leftovers(folder_ / "points");
  state_ = read_journal(folder_ / journal_file);
  journal_.emplace(folder_ / journal_file, state_);
  sync_folder(folder_);
}

/// The plan reaches the disk before anything else, so that every later state can be resumed.
void SweepFolder::establish(const Plan& plan) {
  remove_leftovers(folder_);
  if (is_sweep_folder(folder_)) {
    const Plan before = read_plan(folder_);
    const std::vector<std::string> differences = plan_differences(before, plan);
    if (differences.empty()) return;
    if (!extends(plan, before)) throw PlanError(folder_.string(), differences);
    return write_plan(plan);
  }
  const std::string foreign = foreign_entry(folder_);
  if (!foreign.empty())
    throw IoError(folder_.string(), fmt::format("contains {} but no plan.json", foreign),
                  "choose a new or empty folder with --out");
  write_plan(plan);
}

void SweepFolder::write_plan(const Plan& plan) const {
  atomic_write(folder_ / plan_file, json_text(to_json(plan)));
}

std::vector<const PlanPoint*> SweepFolder::pending(const Plan& plan) const {
  std::vector<const PlanPoint*> left;
  for (const PlanPoint* point : plan.own_points())
    if (point_status(folder_, state_, point->id) != PointStatus::done) left.push_back(point);
  return left;
}

std::vector<std::string> SweepFolder::damages(const Plan& plan) const {
  std::vector<std::string> messages;
  for (const PlanPoint* point : plan.own_points())
    if (const std::string damage = point_damage(folder_, state_, point->id); !damage.empty())
      messages.push_back(fmt::format("{}: {}", point_folder(folder_, point->id).string(), damage));
  return messages;
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
  atomic_write(folder_ / journal_file, ordered);
  state_ = read_journal(folder_ / journal_file);
  journal_.emplace(folder_ / journal_file, state_);
}

std::vector<PointRecord> SweepFolder::finish(const Plan& plan, const Json& call) {
  std::vector<PointRecord> points = point_records(folder_, plan, state_);
  atomic_write(folder_ / results_file, results_jsonl(points));
  atomic_write(folder_ / "results.csv", results_csv(plan, points));
  order_journal(plan);
  Json calls = earlier_calls(folder_ / manifest_file);
  if (!call.is_null()) calls.push_back(call);
  const Json manifest{{"schema", sweep_schema},
                      {"program", program_json()},
                      {"machine", machine_json()},
                      {"experiment", plan.experiment->info.name},
                      {"version", plan.experiment->info.version},
                      {"calls", std::move(calls)}};
  atomic_write(folder_ / manifest_file, json_text(manifest));
  return points;
}

}  // namespace orrery::sweeps
