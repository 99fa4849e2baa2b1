// status: how much of a sweep is done.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/sweep_console.h"
#include "experiments/files/file.h"
#include "experiments/files/folder_lock.h"
#include "experiments/results/notes.h"
#include "experiments/results/result_json.h"
#include "experiments/sweeps/merge.h"
#include "experiments/sweeps/sweep_folder.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/text/display_width.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds between_looks{2};

/// One folder that is watched. Its files are read again only once they have changed.
struct Watched {
  std::optional<FileVersion> plan_version{};
  FileVersion journal_version{};
  std::set<std::string> ids{};  ///< of its points
  std::size_t whole{};          ///< points of the sweep that a shard is of; otherwise its own
  JournalState journal{};
  bool running{};

  bool is_complete() const {
    for (const std::string& id : ids)
      if (!journal.entries.contains(id)) return false;
    return true;
  }
};

void look_at(const fs::path& folder, Watched& watched) {
  if (const FileVersion plan = version_at(folder / plan_file); plan != watched.plan_version) {
    const PlanRecord record = read_plan_record(folder);
    watched.ids.clear();
    // A shard of an earlier version lists the points of all.
    for (std::size_t i = 0; i < record.points.size(); ++i)
      if (record.whole || record.shard.holds(i)) watched.ids.insert(record.points[i].id);
    watched.whole = record.whole ? record.whole->points : record.points.size();
    watched.plan_version = plan;
  }
  if (const FileVersion journal = version_at(folder / journal_file);
      journal != watched.journal_version) {
    watched.journal = read_journal(folder / journal_file);
    watched.journal_version = journal;
  }
}

/// The points of the sweep over its folder and all shards: each counts once.
struct Count {
  std::size_t points{}, done{}, failed{};
  std::size_t shards{}, complete{}, running{};  ///< running: folders

  std::size_t left() const { return points - done - failed; }
  bool is_over() const { return left() == 0 && running == 0; }
  friend bool operator==(const Count&, const Count&) = default;
};

Count count_of(const std::map<fs::path, Watched>& folders, const fs::path& out) {
  Count count;
  std::set<std::string> all;
  std::map<std::string, PointStatus> outcomes;
  for (const auto& [folder, watched] : folders) {
    all.insert(watched.ids.begin(), watched.ids.end());
    count.points = std::max(count.points, watched.whole);
    if (watched.running) ++count.running;
    if (folder != out) ++count.shards;
    if (folder != out && watched.is_complete()) ++count.complete;
    for (const auto& [id, entry] : watched.journal.entries)
      if (watched.ids.contains(id) && outcomes[id] != PointStatus::done)
        outcomes[id] = entry.status;
  }
  count.points = std::max(count.points, all.size());
  for (const auto& [id, status] : outcomes)
    ++(status == PointStatus::done ? count.done : count.failed);
  return count;
}

/// "12 points/s, 45 s left", from what was seen since the first look; empty until a point is done.
std::string pace_text(const Count& first, const Count& now, double seconds) {
  const std::size_t before = first.done + first.failed, since = now.done + now.failed;
  if (since <= before || seconds <= 0 || now.left() == 0) return {};
  const double rate = static_cast<double>(since - before) / seconds;
  return fmt::format(", {}, {} to go", rate_text(rate),
                     duration_text(static_cast<double>(now.left()) / rate));
}

std::string line_of(const Count& first, const Count& now, double seconds) {
  std::string text = fmt::format("{} of {} points done, {} failed, {} left", now.done, now.points,
                                 now.failed, now.left());
  text += pace_text(first, now, seconds);
  if (now.shards > 0) text += fmt::format("; {} of {} shards complete", now.complete, now.shards);
  if (now.running > 0) text += fmt::format("; {} running", now.running);
  return text;
}

/// A line that is drawn anew must not reach the next one.
std::string fitted(std::string line, std::size_t width) {
  while (!line.empty() && display_width(line) >= width) line.pop_back();
  return line;
}

/// Waits until it is time to look again; ends early when a stop is asked for.
void wait() {
  const Steady::time_point until = Steady::now() + between_looks;
  while (stop_signal() == 0 && Steady::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

class Watch {
 public:
  explicit Watch(fs::path out) : out_(std::move(out)) {}

  /// Counts anew. Throws IoError where there is neither the folder nor a shard.
  Count look() {
    std::vector<fs::path> folders = shards_beside(out_);
    if (is_sweep_folder(out_) || folders.empty()) folders.push_back(out_);
    const auto held = held_folders(folders, brief_look, &dead_);
    std::erase_if(folders_, [&](const auto& one) {
      return std::ranges::find(folders, one.first) == folders.end();
    });
    for (const fs::path& folder : folders) {
      look_at(folder, folders_[folder]);
      folders_[folder].running = held.contains(folder);
    }
    return count_of(folders_, out_);
  }

  const std::map<fs::path, Watched>& folders() const { return folders_; }

 private:
  fs::path out_;
  std::map<fs::path, Watched> folders_{};
  std::map<fs::path, std::string> dead_{};  ///< lines whose writers are
};

/// Why points failed, as the journals have it.
void print_failures(const std::map<fs::path, Watched>& folders) {
  std::map<std::string, std::string> errors;
  for (const auto& [folder, watched] : folders)
    for (const auto& [id, entry] : watched.journal.entries)
      if (entry.status == PointStatus::failed) errors[id] = entry.error;
  for (const auto& [folder, watched] : folders)
    for (const auto& [id, entry] : watched.journal.entries)
      if (entry.status == PointStatus::done) errors.erase(id);
  for (const auto& [id, error] : errors)
    print(fmt::format("  {} {}: {}\n", red("failed"), id, error));
}
/// Counts the points of a sweep and its shards again and again until all have an outcome.
int watch_status(const std::string& folder) {
  const bool redrawn = can_redraw_lines() && output_is_terminal();
  Watch watch(folder);
  const Count first = watch.look();
  const Steady::time_point start = Steady::now();
  Count now = first;
  std::string line = line_of(first, first, 0), printed;
  for (;;) {
    if (redrawn) redraw_line(fitted(line, output_width()));
    if (!redrawn && line != printed) print((printed = line) + "\n");
    if (!redrawn) finish_output();
    if (now.is_over() || stop_signal() != 0) break;
    wait();
    const Count before = now;
    now = watch.look();
    const std::chrono::duration<double> seconds = Steady::now() - start;
    if (redrawn || now != before) line = line_of(first, now, seconds.count());
  }
  if (redrawn) {
    redraw_line("");
    print(line + "\n");
  }
  if (stop_signal() != 0) return 128 + stop_signal();
  print_failures(watch.folders());
  return now.failed == 0 ? exit_ok : exit_failed;
}

struct StatusOptions {
  std::string folder{};
  bool json{false}, watch{false};
};

using Json = nlohmann::ordered_json;

/// What is damaged is said, and does not keep the status from being seen.
Notes notes_of(const fs::path& folder) try {
  return read_notes(folder);
} catch (const Error& error) {
  warn(error.what());
  return {};
}

Json damaged_json(const Standing& standing) {
  Json list = Json::array();
  for (const auto& [point, damage] : standing.damaged)
    list.push_back({{"id", point->id}, {"label", point->label}, {"reason", damage}});
  return list;
}

Json status_json(const Plan& plan, const Standing& standing, const Notes& notes, bool running) {
  return {{"experiment", plan.experiment->info.name},
          {"points", plan.points.size()},
          {"done", standing.done.size()},
          {"failed", standing.failed.size()},
          {"left", standing.pending.size()},
          {"damaged_points", standing.damaged.size()},
          {"damaged", damaged_json(standing)},
          {"damaged_lines", standing.journal.damaged_lines},
          {"running", running},
          {"tags", notes.tags},
          {"note", notes.note}};
}

std::string status_text(const std::string& folder, const Plan& plan, const Standing& standing,
                        bool running) {
  std::string text =
      fmt::format("{}: {} of {} points done, {} failed, {} left{}\n",
                  bold(plan.experiment->info.name), standing.done.size(), plan.points.size(),
                  standing.failed.size(), standing.pending.size(), running ? "; running now" : "");
  const std::size_t distinct = plan.points.size() / static_cast<std::size_t>(plan.repeats);
  if (!plan.whole && plan.crossed > distinct)
    text += fmt::format(
        "  {} combinations are {} points: a value that is not read makes no difference\n",
        plan.crossed, distinct);
  for (const PlanPoint* point : standing.failed)
    text += fmt::format("  {} {} {}: {}\n", red("failed"), point->id, point->label,
                        standing.journal.entries.at(point->id).error);
  for (const auto& [point, damage] : standing.damaged)
    text += fmt::format("  {} {} {}: {}\n", red("damaged"), point->id, point->label, damage);
  if (standing.journal.damaged_lines > 0)
    text += fmt::format("  {} lines of the journal are damaged\n", standing.journal.damaged_lines);
  if (!running && standing.done.size() < plan.points.size())
    text += fmt::format("continue with: orrery resume {}\n", folder);
  return text;
}

/// The status of one folder as it was found.
struct FolderStatus {
  Json json{};
  std::string text{};
  std::set<std::string> points{};  ///< their ids
  std::set<std::string> done{};
  bool well{};  ///< nothing in it failed or is damaged
};

FolderStatus status_of(const fs::path& folder, bool running) {
  const Plan plan = read_plan(folder);
  const Standing standing = standing_of(plan, folder);
  const Notes notes = notes_of(folder);
  FolderStatus shown{
      .json = status_json(plan, standing, notes, running),
      .text = status_text(folder.string(), plan, standing, running) + notes_text(notes),
      .well = standing.failed.empty() && standing.damaged.empty() &&
              standing.journal.damaged_lines == 0};
  for (const PlanPoint& point : plan.points) shown.points.insert(point.id);
  for (const PlanPoint* point : standing.done) shown.done.insert(point->id);
  return shown;
}

/// The shards, each with the name of its folder.
struct Shards {
  Json json = Json::array();
  std::string text{};
  std::set<std::string> done{};
  std::size_t points{};
  bool well{true};
};

Shards shards_of(const std::vector<fs::path>& folders) {
  Shards shards;
  const auto held = held_folders(folders, brief_look);
  for (const fs::path& folder : folders) {
    FolderStatus shard;
    try {
      shard = status_of(folder, held.contains(folder));
    } catch (const Error& error) {  // the others and the sweep are shown all the same
      shards.json.push_back({{"folder", folder.string()}, {"error", error.what()}});
      shards.text += fmt::format("{}\n  {} {}\n", folder.string(), red("unreadable"), error.what());
      shards.well = false;
      continue;
    }
    shards.points += shard.json["points"].get<std::size_t>();
    shard.json["folder"] = folder.string();
    shards.json.push_back(std::move(shard.json));
    shards.text += folder.string() + "\n" + shard.text;
    shards.done.merge(shard.done);
    shards.well = shards.well && shard.well;
  }
  return shards;
}

/// The sweep's own folder, and the shards that it was merged from, or is going to be.
bool show_folder(const StatusOptions& options, const std::vector<fs::path>& folders) {
  FolderStatus shown =
      status_of(options.folder, !held_folders({options.folder}, brief_look).empty());
  const Shards shards = shards_of(folders);
  if (options.json) {
    if (!folders.empty()) shown.json["shards"] = shards.json;
    print(json_text(shown.json));
    return shown.well;
  }
  print(shown.text + shards.text);
  const auto unmerged = std::ranges::count_if(shards.done, [&](const auto& id) {
    return shown.points.contains(id) && !shown.done.contains(id);
  });
  if (unmerged > 0)
    print(fmt::format("{} points of the shards are not merged; merge with: orrery merge {}\n",
                      unmerged, options.folder));
  return shown.well;
}

/// The shards of a sweep that were not merged yet, one after the other.
bool show_shards(const StatusOptions& options, const std::vector<fs::path>& folders) {
  const Shards shards = shards_of(folders);
  if (options.json)
    print(json_text(
        {{"points", shards.points}, {"done", shards.done.size()}, {"shards", shards.json}}));
  else
    print(shards.text +
          fmt::format("{} shards, not merged: {} of {} points done; merge with: orrery merge {}\n",
                      folders.size(), shards.done.size(), shards.points, options.folder));
  return shards.well;
}

int print_status(const StatusOptions& options) {
  if (options.watch) return watch_status(options.folder);
  const std::vector<fs::path> shards = shards_beside(options.folder);
  const bool all_well = is_sweep_folder(options.folder) || shards.empty()
                            ? show_folder(options, shards)
                            : show_shards(options, shards);
  return all_well ? exit_ok : exit_failed;
}

}  // namespace

Command status_command() {
  const auto o = std::make_shared<StatusOptions>();
  Command command{"status", "Show how much of a sweep is done", [o] { return print_status(*o); }};
  command.options = {{"DIR", &o->folder, "Folder of a sweep", required()},
                     {"--json", &o->json, "As JSON"},
                     {"--watch",
                      &o->watch,
                      "Count again every two seconds until every point is done or failed",
                      {.excludes = {"--json"}}}};
  command.footer =
      R"(The shards of the sweep, in DIR.shards, are shown as well. --watch believes the journals;
without it every file of every point is checked.

Examples:
  orrery sweep decay_over_bases --format none --out bases
  orrery status bases
  orrery status --watch bases)";
  return command;
}

}  // namespace orrery
