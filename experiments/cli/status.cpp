// status: how much of a sweep is done.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/standing.h"
#include "experiments/cli/watch.h"
#include "experiments/files/folder_lock.h"
#include "experiments/results/notes.h"
#include "experiments/results/result_json.h"
#include "experiments/sweeps/merge.h"
#include "experiments/sweeps/sweep_folder.h"

namespace orrery {
namespace {

struct StatusOptions {
  std::string folder{};
  bool json{false}, watch{false};
};

namespace fs = std::filesystem;
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
struct Shown {
  Json json{};
  std::string text{};
  std::set<std::string> points{};  ///< their ids
  std::set<std::string> done{};
  bool well{};  ///< nothing in it failed or is damaged
};

Shown status_of(const fs::path& folder, bool running) {
  const Plan plan = read_plan(folder);
  const Standing standing = standing_of(plan, folder);
  const Notes notes = notes_of(folder);
  Shown shown{.json = status_json(plan, standing, notes, running),
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
    Shown shard;
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
  Shown shown = status_of(options.folder, !held_folders({options.folder}, brief_look).empty());
  const Shards shards = shards_of(folders);
  if (options.json) {
    if (!folders.empty()) shown.json["shards"] = shards.json;
    print(json_text(shown.json));
    return shown.well;
  }
  print(shown.text + shards.text);
  const auto unmerged = std::count_if(shards.done.begin(), shards.done.end(), [&](const auto& id) {
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
