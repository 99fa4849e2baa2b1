#include "experiments/sweeps/sweep_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/files/presence.h"
#include "experiments/results/csv.h"
#include "experiments/results/figure_options.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/manifest.h"
#include "experiments/results/notes.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/provenance.h"
#include "experiments/sweeps/measure_titles.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {
namespace {

StagedResult write_point(const Plan& plan, const PlanPoint& point, Result result,
                         const std::vector<InputFile>& files, const std::filesystem::path& folder,
                         const Draw& draw) try {
  keep_figures(result, plan.figures);
  const RunRecord run{.argv = point.command(plan.experiment->info.name), .inputs = files};
  const WriteOptions options = write_options(folder, plan.figures, result.provenance);
  if (!packs_points(plan)) return stage_result(result, run, draw(result, options));
  return pack_result(result, run, options);
} catch (const UsageError& error) {  // figures that it has not
  throw CannotWrite(error);
} catch (const IoError& error) {
  throw CannotWrite(error);
}

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Makes the folder if needed.
fs::path made(fs::path folder) {
  make_folders(folder);
  return folder;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    names.push_back(entry->path().filename().string());
  if (failure) throw io_error(folder.string(), "read", failure.value());
  return names;
}

/// What a folder without a plan contains beside the remains of this very sweep, whose plan was
/// lost; empty if there is none.
std::string foreign_entry(const fs::path& folder, const Plan& plan) {
  static const std::set<std::string> remains{
      ".lock",        "points",     points_file,   journal_file,  results_file, results_csv_file,
      constants_file, summary_file, measures_file, manifest_file, notes_file};
  const std::vector<std::string> names = names_in(folder);
  const bool has_folders = fs::is_directory(fs::symlink_status(folder / "points"));
  const bool has_points = has_folders || is_file_at(folder / points_file);
  for (const std::string& name : names)
    if (name != ".lock" && !(has_points && remains.contains(name))) return name;
  if (!has_points) return {};
  std::set<std::string> ids;
  for (const PlanPoint& point : plan.points) ids.insert(point.id);
  if (has_folders)
    for (const std::string& name : names_in(folder / "points"))
      if (!name.starts_with(".") && !ids.contains(name)) return "points/" + name;
  const ZipPack pack(folder / points_file);
  pack.require_own();
  for (const auto& [name, place] : pack.groups())
    if (!ids.contains(name)) return fmt::format("{} of {}", name, points_file);
  return {};
}

/// Throws PlanError when the manifest names other figures than the plan.
void require_same_figures(const fs::path& folder, const Plan& plan) try {
  if (!is_there(folder / manifest_file)) return;
  const Json manifest = json_in(read_file(folder / manifest_file, max_json_bytes));
  const Json wanted = to_json(plan.figures);
  if (manifest.contains("figures") && manifest["figures"] != wanted)
    throw PlanError(folder.string(),
                    {fmt::format("figures: {} -> {}", manifest["figures"].dump(), wanted.dump())});
} catch (const MalformedJson&) {
  // finish() writes it anew
}

/// The calls in a manifest; none when it is damaged or missing.
Json earlier_calls(const fs::path& path) try {
  if (!is_there(path)) return Json::array();
  return list_field(json_in(read_file(path, max_json_bytes)), "calls");
} catch (const MalformedJson&) {
  return Json::array();
}

}  // namespace

StagedResult stage_point(const Plan& plan, const PlanPoint& point,
                         const std::filesystem::path& folder, Progress& progress,
                         const Draw& draw) {
  const LoadedInputs loaded = load_inputs(point.params);
  for (std::size_t i = 0; i < loaded.files.size(); ++i)
    if (content_id(loaded.files[i]) != content_id(point.files[i]))
      throw DataError(fmt::format("{}={}", loaded.files[i].key, loaded.files[i].path),
                      "has changed since the sweep was planned",
                      "restore the file and resume the sweep");
  Result result = plan.experiment->run(point.params, loaded.inputs, progress);
  check_obeyed(point.params, result);
  return write_point(plan, point, std::move(result), loaded.files, folder, draw);
}

std::uintmax_t bytes_of_point(const Plan& plan, const PlanPoint& point,
                              const std::filesystem::path& folder, Progress& progress) {
  const StagedResult staged = stage_point(
      plan, point, folder, progress, [](const Result&, WriteOptions options) { return options; });
  if (!staged.swap) return staged.group.size();
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(staged.swap->folder()))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

SweepFolder::SweepFolder(fs::path folder, const Plan& plan)
    : folder_(made(std::move(folder))), lock_(folder_) {
  establish(plan);
  lock_.require_held();
  make_room_for_points(plan);
  state_ = read_journal(folder_ / journal_file);
  journal_.emplace(folder_ / journal_file, state_);
  adopt_points(plan);
  sync_folder(folder_);
}

void SweepFolder::make_room_for_points(const Plan& plan) {
  const fs::path points = folder_ / "points";
  std::error_code missing;
  if (fs::is_symlink(points, missing)) throw io_error(points.string(), "written", ELOOP);
  if (packs_points(plan)) pack_.emplace(folder_ / points_file);
  // A sweep of an earlier version has folders without figures, too.
  if (!packs_points(plan)) make_folders(points);
  if (is_folder_at(points)) remove_leftovers(points);
}

/// The plan reaches the disk before anything else, so that every later state can be resumed.
void SweepFolder::establish(const Plan& plan) {
  remove_leftovers(folder_);
  if (is_sweep_folder(folder_)) {
    if (MappedFile(folder_ / plan_file).bytes() == plan_text(plan)) return;
    const Plan before = read_plan(folder_);
    const std::vector<std::string> differences = plan_differences(before, plan);
    if (differences.empty()) return;
    if (!extends(plan, before)) throw PlanError(folder_.string(), differences);
  } else {
    const std::string foreign = foreign_entry(folder_, plan);
    if (!foreign.empty())
      throw IoError(folder_.string(), fmt::format("contains {} but no plan.json", foreign),
                    "choose a new or empty folder with --out");
    require_same_figures(folder_, plan);
  }
  atomic_write(folder_ / plan_file, plan_text(plan));
}

/// A journal that was lost is made again from the points that prove themselves.
void SweepFolder::adopt_points(const Plan& plan) {
  std::vector<JournalEntry> found;
  for (const PlanPoint& point : plan.points) {
    if (state_.entries.contains(point.id)) continue;
    if (const auto entry = proven_entry(folder_, plan, point)) found.push_back(*entry);
  }
  if (!found.empty()) record(found);
}

const std::vector<PointState>& SweepFolder::states(const Plan& plan) const {
  if (states_.empty()) states_ = point_states(folder_, state_, pointers_to(plan.points));
  return states_;
}

std::vector<const PlanPoint*> SweepFolder::pending(const Plan& plan) const {
  const std::vector<PointState>& found = states(plan);
  std::vector<const PlanPoint*> left;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].status != PointStatus::done) left.push_back(&plan.points[i]);
  return left;
}

std::vector<std::string> SweepFolder::damages(const Plan& plan) const {
  const std::vector<PointState>& found = states(plan);
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (const PlanPoint& point = plan.points[i]; !found[i].damage.empty())
      messages.push_back(fmt::format("{} {}: {}", point_folder(folder_, point.id).string(),
                                     point.label, found[i].damage));
  return messages;
}

void SweepFolder::keep(std::span<const StagedResult> results) {
  if (!pack_) {
    lock_.require_held();
    return commit_results(results);
  }
  std::vector<std::string_view> groups;
  for (const StagedResult& result : results) groups.push_back(result.group);
  if (!groups.empty()) keep_groups(groups);
}

void SweepFolder::keep_groups(std::span<const std::string_view> groups) {
  lock_.require_held();
  pack_->append(groups);
}

void SweepFolder::record(std::span<const JournalEntry> entries) {
  lock_.require_held();
  journal_->append(entries);
  for (const JournalEntry& entry : entries) state_.entries[entry.id] = entry;
}

/// Puts the journal in the plan's order when every point has its entry.
void SweepFolder::order_journal(const Plan& plan) {
  std::string ordered;
  for (const PlanPoint& point : plan.points) {
    const auto entry = state_.entries.find(point.id);
    if (entry == state_.entries.end()) return;
    ordered += journal_line(entry->second);
  }
  journal_.reset();
  atomic_write(folder_ / journal_file, ordered);
  state_.damaged_lines = 0;
  state_.intact = ordered.size();
  journal_.emplace(folder_ / journal_file, state_);
}

/// The points that are done: in the plan's order when every point has its entry, and until then in
/// that in which they came, so that a stop costs no second copy.
void SweepFolder::finish_pack(const std::vector<PointRecord>& points) {
  if (!pack_) return;
  std::vector<std::string> order;
  for (const PointRecord& point : points)
    if (point.is_done()) order.push_back(point.id);
  if (count_with(points, PointStatus::pending) > 0) {
    const std::set<std::string, std::less<>> done(order.begin(), order.end());
    const ZipPack pack(folder_ / points_file);
    order.clear();
    for (const auto& [id, place] : pack.groups())
      if (done.contains(id) && pack.find(id) == place) order.push_back(id);
  }
  pack_->finish(order);
}

void SweepFolder::write_tables(const Plan& plan, const std::vector<PointRecord>& points) const {
  const TidyTable tidy = tidy_table(points, plan.swept);
  write_results_csv(folder_ / results_csv_file, tidy);
  atomic_write(folder_ / constants_file, csv_text(constants_table(tidy)));
  atomic_write(folder_ / measures_file, csv_text(measures_table(measure_titles(points))));
  if (plan.repeats > 1) atomic_write(folder_ / summary_file, csv_text(summary_table(tidy)));
}

std::vector<PointRecord> SweepFolder::finish(const Plan& plan, const Json& call) {
  std::vector<PointRecord> points = point_records(folder_, plan, state_, states_);
  lock_.require_held();
  write_results(folder_ / results_file, plan, points);
  write_tables(plan, points);
  lock_.require_held();
  finish_pack(points);
  order_journal(plan);
  Json calls = earlier_calls(folder_ / manifest_file);
  if (!call.is_null()) calls.push_back(call);
  const Json manifest{{"schema", sweep_schema},
                      {"program", program_json()},
                      {"machine", machine_json()},
                      {"experiment", plan.experiment->info.name},
                      {"version", plan.experiment->info.version},
                      {"figures", to_json(plan.figures)},
                      {"calls", std::move(calls)}};
  atomic_write(folder_ / manifest_file, json_text(manifest));
  return points;
}

}  // namespace orrery
