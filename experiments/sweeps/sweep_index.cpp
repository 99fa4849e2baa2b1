#include "experiments/sweeps/sweep_index.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/results/notes.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/sweep_results.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// results.jsonl is written when a sweep ends; until then the journal has the points' status.
void update_from_journal(SweepIndex& index) {
  const JournalState journal = read_journal(index.folder / journal_file);
  std::map<std::string, PointRecord*> pending;
  for (PointRecord& point : index.points)
    if (point.status == PointStatus::pending) pending[point.id] = &point;
  for (PointRecord& record : point_records(index.folder, read_plan(index.folder), journal))
    if (const auto found = pending.find(record.id); found != pending.end())
      *found->second = std::move(record);
}

SweepIndex index_of_sweep(const fs::path& folder) {
  const auto kept = kept_sweep(folder);
  const SavedSweep& sweep = *kept;
  SweepIndex index{.folder = folder,
                   .is_sweep = true,
                   .experiment = sweep.experiment,
                   .points = sweep.points,
                   .problems = sweep.problems};
  try {
    if (count_with(index.points, PointStatus::pending) > 0) update_from_journal(index);
  } catch (const Error& error) {
    index.problems.emplace_back(error.what());
  }
  index.scalars = scalar_names(index.points);
  return index;
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
void add_facts(FolderFacts& facts, const Json& manifest, const char* section,
               std::initializer_list<const char*> keys) {
  const auto part = manifest.find(section);
  if (part == manifest.end() || !part->is_object()) return;
  for (const char* key : keys)
    if (const auto value = part->find(key); value != part->end())
      facts.emplace_back(key, words_of(*value));
}

}  // namespace

void add_notes(FolderFacts& facts, const fs::path& folder) try {
  const Notes notes = read_notes(folder);
  if (!notes.tags.empty())
    facts.emplace_back("tags", fmt::format("{}", fmt::join(notes.tags, ", ")));
  if (!notes.note.empty()) facts.emplace_back("note", notes.note);
} catch (const Error& error) {
  facts.emplace_back("note", error.what());
}

SweepIndex read_index(const fs::path& folder) {
  if (is_sweep_folder(folder)) return index_of_sweep(folder);
  const SavedFolder saved(folder);
  const Json& manifest = saved.manifest();
  SweepIndex index{.folder = folder};
  if (const auto about = manifest.find("experiment"); about != manifest.end() && about->is_object())
    index.experiment = words_of(about->value("name", Json("")));
  index.points.push_back({.label = folder.filename().string(),
                          .status = PointStatus::done,
                          .folder = folder.string()});
  return index;
}

FolderFacts saved_facts(const fs::path& folder) {
  const SavedFolder saved(folder);
  FolderFacts facts;
  add_facts(facts, saved.manifest(), "experiment", {"name"});
  add_notes(facts, folder);
  add_facts(facts, saved.manifest(), "run", {"argv", "seed", "threads", "started", "wall_seconds"});
  add_facts(facts, saved.manifest(), "program", {"version", "commit", "dirty", "compiler", "isa"});
  add_facts(facts, saved.manifest(), "machine", {"cpu", "os"});
  return facts;
}

Result saved_result(const fs::path& folder) { return load_result(folder); }

}  // namespace orrery
