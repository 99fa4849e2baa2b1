#include "experiments/batch/browse.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/batch/saved_result.h"
#include "experiments/batch/saved_sweep.h"
#include "experiments/batch/sweep_folder.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* done = "done";
constexpr const char* pending = "pending";

void take_numbers(BrowsedPoint& point, const std::vector<Scalar>& scalars,
                  const std::vector<Check>& checks) {
  point.scalars = scalars;
  point.checks = checks.size();
  point.holding = static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [](const Check& c) { return c.holds(); }));
}

BrowsedPoint browsed(const SavedSweep& sweep, const SavedPoint& saved) {
  BrowsedPoint point{.label = saved.label,
                     .status = saved.status,
                     .error = saved.error,
                     .folder = sweep.point_folder(saved)};
  take_numbers(point, saved.scalars, saved.checks);
  return point;
}

/// results.jsonl is written at the end; until then the journal knows what became of each point.
void add_what_the_journal_knows(BrowsedFolder& browsed) {
  const Plan plan = read_plan(browsed.folder);
  JournalState state = read_journal(browsed.folder / "journal.jsonl");
  std::erase_if(state.entries, [&](const auto& known) {
    const JournalEntry& entry = known.second;
    return entry.outcome == JournalEntry::Outcome::done && !is_complete(browsed.folder, entry);
  });
  std::map<fs::path, BrowsedPoint*> by_folder;
  for (BrowsedPoint& point : browsed.points) by_folder[point.folder] = &point;
  for (const PointRow& row : point_rows(browsed.folder, plan, state)) {
    const auto found = by_folder.find(point_folder(browsed.folder, row.point->id));
    if (found == by_folder.end() || found->second->status != pending) continue;
    found->second->status = row.status;
    found->second->error = row.error;
    take_numbers(*found->second, row.scalars, row.checks);
  }
}

std::vector<std::string> scalar_names(const std::vector<BrowsedPoint>& points) {
  std::vector<std::string> names;
  for (const BrowsedPoint& point : points)
    for (const Scalar& scalar : point.scalars)
      if (std::find(names.begin(), names.end(), scalar.name) == names.end())
        names.push_back(scalar.name);
  return names;
}

BrowsedFolder browse_sweep(const fs::path& folder) {
  const SavedSweep sweep = load_sweep(folder);
  BrowsedFolder found{.folder = folder,
                      .is_sweep = true,
                      .experiment = sweep.experiment,
                      .problems = sweep.problems};
  for (const SavedPoint& point : sweep.points) found.points.push_back(browsed(sweep, point));
  const bool unfinished =
      std::any_of(found.points.begin(), found.points.end(),
                  [](const BrowsedPoint& point) { return point.status == pending; });
  try {
    if (unfinished) add_what_the_journal_knows(found);
  } catch (const Error& error) {
    found.problems.emplace_back(error.what());
  }
  found.scalars = scalar_names(found.points);
  return found;
}

std::string words_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string words;
  for (const Json& one : value) {
    if (!words.empty()) words += ' ';
    words += words_of(one);
  }
  return words;
}

/// "program.version" as "version", where the manifest has it.
void add_facts(Facts& facts, const Json& manifest, const char* section,
               std::initializer_list<const char*> keys) {
  const auto part = manifest.find(section);
  if (part == manifest.end() || !part->is_object()) return;
  for (const char* key : keys)
    if (const auto value = part->find(key); value != part->end())
      facts.emplace_back(key, words_of(*value));
}

}  // namespace

double BrowsedPoint::scalar(const std::string& name) const {
  for (const Scalar& one : scalars)
    if (one.name == name) return one.value;
  return std::numeric_limits<double>::quiet_NaN();
}

BrowsedFolder browse_folder(const fs::path& folder) {
  if (is_sweep_folder(folder)) return browse_sweep(folder);
  const SavedFolder saved(folder);
  const Json& manifest = saved.manifest();
  BrowsedFolder found{.folder = folder};
  if (const auto about = manifest.find("experiment"); about != manifest.end() && about->is_object())
    found.experiment = words_of(about->value("name", Json("")));
  found.points.push_back({.label = folder.filename().string(), .status = done, .folder = folder});
  return found;
}

Facts saved_facts(const fs::path& folder) {
  const SavedFolder saved(folder);
  Facts facts;
  add_facts(facts, saved.manifest(), "experiment", {"name"});
  add_facts(facts, saved.manifest(), "run", {"argv", "seed", "threads", "started", "wall_seconds"});
  add_facts(facts, saved.manifest(), "program", {"version", "commit", "dirty", "compiler", "isa"});
  add_facts(facts, saved.manifest(), "machine", {"cpu", "os"});
  return facts;
}

Result saved_result(const fs::path& folder) { return load_result(folder); }

}  // namespace orrery
