#include "experiments/sweeps/sweep_layout.h"

#include <fmt/format.h>

#include <utility>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/files/file.h"
#include "experiments/files/presence.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/manifest.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// The first file that is not as the manifest lists it, and in what; empty when all are.
std::string damaged_file(const ResultFiles& found, std::string_view manifest) try {
  for (const WrittenFile& file : files_of(json_in(manifest))) {
    if (!found.has(file.path)) return file.path + " is missing";
    std::string bytes;
    try {
      bytes = found.read(file.path, file.bytes);
    } catch (const DataError&) {
      return file.path + " is longer than its manifest lists it";
    }
    if (bytes.size() != file.bytes || sha256_hex(bytes) != file.sha256)
      return file.path + " differs from its SHA-256";
  }
  return {};
} catch (const MalformedJson&) {
  return fmt::format("{} is not a manifest", manifest_file);
} catch (const Error& error) {
  return error.what();
}

/// What the point's files lack of all that its entry promises.
std::string damage_of(const ResultFiles& found, const JournalEntry& entry) try {
  if (!found.has(manifest_file)) return fmt::format("{} is missing", manifest_file);
  const bool by_group = !entry.group_sha256.empty() && found.is_packed();
  if (by_group && sha256_hex(found.group()) == entry.group_sha256) return {};
  const std::string bytes = found.read(manifest_file, max_json_bytes);
  if (!entry.manifest_sha256.empty() && sha256_hex(bytes) != entry.manifest_sha256)
    return fmt::format("{} differs from its SHA-256", manifest_file);
  std::string damage = damaged_file(found, bytes);
  if (damage.empty() && by_group)
    return fmt::format("{}, or what {} has beside its files, differs from its SHA-256",
                       manifest_file, points_file);
  return damage;
} catch (const Error& error) {
  return error.what();
}

}  // namespace

fs::path point_folder(const fs::path& sweep, const std::string& id) {
  return sweep / "points" / id;
}

bool is_sweep_folder(const fs::path& folder) { return is_file_at(folder / plan_file); }

PlanRecord read_plan_record(const fs::path& folder) {
  const bool has_plan = is_sweep_folder(folder);
  if (!has_plan && is_folder_at(folder / "points"))
    throw IoError(folder.string(), "has points but no plan.json any more",
                  "run the same orrery sweep again with this folder as --out: it writes the plan "
                  "anew and keeps every whole point");
  if (!has_plan)
    throw IoError(folder.string(), "holds no plan.json, so it is not the folder of a sweep",
                  "name a folder that orrery sweep wrote, or start one with orrery sweep");
  const fs::path path = folder / plan_file;
  return plan_record(read_file(path, max_json_bytes), path.string());
}

Plan read_plan(const fs::path& folder) {
  return plan_from(read_plan_record(folder), folder.string());
}

JournalEntry done_entry(const std::string& id, std::string_view group,
                        const std::string& manifest_sha256) {
  JournalEntry entry{.id = id};
  if (group.empty())
    entry.manifest_sha256 = manifest_sha256;
  else
    entry.group_sha256 = sha256_hex(group);
  return entry;
}

std::optional<JournalEntry> proven_entry(const fs::path& sweep, const Plan& plan,
                                         const PlanPoint& point) try {
  const ResultFiles found(point_folder(sweep, point.id));
  if (!found.has(manifest_file)) return std::nullopt;
  const std::string bytes = found.read(manifest_file, max_json_bytes);
  const nlohmann::ordered_json manifest = json_in(bytes);
  const ExperimentInfo& info = plan.experiment->info;
  if (experiment_of(manifest).version != info.version ||
      texts_field(field(manifest, "run"), "argv") != point.command(info.name) ||
      !damaged_file(found, bytes).empty())
    return std::nullopt;
  return done_entry(point.id, found.group(), sha256_hex(bytes));
} catch (const MalformedJson&) {
  return std::nullopt;
} catch (const DataError&) {  // in a pack
  return std::nullopt;
}

PointState point_state(const fs::path& sweep, const JournalState& journal, const std::string& id) {
  const auto entry = journal.entries.find(id);
  const bool has_result =
      entry != journal.entries.end() && entry->second.status == PointStatus::done;
  return has_result ? point_state(ResultFiles(point_folder(sweep, id)), journal, id)
                    : PointState{.status = entry == journal.entries.end() ? PointStatus::pending
                                                                          : PointStatus::failed};
}

PointState point_state(const ResultFiles& found, const JournalState& journal,
                       const std::string& id) {
  std::string damage = damage_of(found, journal.entries.at(id));
  if (damage.empty()) return {.status = PointStatus::done};
  return {.damage = std::move(damage)};
}

std::vector<PointState> point_states(const fs::path& sweep, const JournalState& journal,
                                     std::span<const PlanPoint* const> points) {
  std::vector<PointState> states(points.size());
  for_points(states.size(),
             [&](std::size_t i) { states[i] = point_state(sweep, journal, points[i]->id); });
  return states;
}

void for_points(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t few = 256;
  const int threads = count < few ? 1 : threads_or_all(0);
  in_parallel(static_cast<std::ptrdiff_t>(count), threads,
              [&] { return [&](std::ptrdiff_t item) { work(static_cast<std::size_t>(item)); }; });
}

}  // namespace orrery
