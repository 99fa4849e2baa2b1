// status: how much of a sweep is done.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/standing.h"
#include "experiments/results/notes.h"
#include "experiments/results/result_json.h"
#include "experiments/sweeps/merge.h"
#include "experiments/sweeps/sweep_folder.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What is damaged is said, and does not keep the status from being seen.
Notes notes_of(const fs::path& folder) try {
  return read_notes(folder);
} catch (const Error& error) {
  say(fmt::format("orrery: {}\n", error.what()));
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

/// Prints the status of one folder, or adds it to `shards`. Returns whether nothing in it failed or
/// is damaged.
bool show_status(const fs::path& folder, bool as_json, Json* shards) {
  const Plan plan = read_plan(folder);
  const Standing standing = standing_of(plan, folder);
  const bool running = FolderLock::is_held(folder);
  const Notes notes = notes_of(folder);
  Json json = status_json(plan, standing, notes, running);
  if (shards) {
    json["folder"] = folder.string();
    shards->push_back(std::move(json));
  } else if (as_json) {
    print(json_text(json));
  }
  if (!as_json) {
    if (shards) print(folder.string() + "\n");
    print(status_text(folder.string(), plan, standing, running) + notes_text(notes));
  }
  return standing.failed.empty() && standing.damaged.empty() && standing.journal.damaged_lines == 0;
}

/// The shards of a sweep that were not merged yet, one after the other.
bool show_shards(const StatusOptions& options, const std::vector<fs::path>& folders) {
  Json shards = Json::array();
  bool all_well = true;
  for (const fs::path& folder : folders)
    all_well = show_status(folder, options.json, &shards) && all_well;
  std::size_t points = 0, done = 0;
  for (const Json& shard : shards) {
    points += shard["points"].get<std::size_t>();
    done += shard["done"].get<std::size_t>();
  }
  if (options.json) {
    print(json_text({{"points", points}, {"done", done}, {"shards", shards}}));
    return all_well;
  }
  print(fmt::format("{} shards, not merged: {} of {} points done; merge with: orrery merge {}\n",
                    folders.size(), done, points, options.folder));
  return all_well;
}

}  // namespace

int status_command(const StatusOptions& options) {
  const std::vector<fs::path> shards = shards_beside(options.folder);
  const bool all_well = is_sweep_folder(options.folder) || shards.empty()
                            ? show_status(options.folder, options.json, nullptr)
                            : show_shards(options, shards);
  return all_well ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
