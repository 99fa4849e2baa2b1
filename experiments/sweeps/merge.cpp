#include "experiments/sweeps/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include "core/errors.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/files/presence.h"
#include "experiments/results/manifest.h"
#include "experiments/results/notes.h"
#include "experiments/sweeps/sweep_folder.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 34;

/// Copies a folder so that the copy appears as a whole, with every file on the disk.
void copy_folder(const fs::path& from, const fs::path& to) {
  AtomicFolder swap(to);
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(from, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path target = swap.folder() / entry->path().lexically_relative(from);
    if (entry->is_directory())
      make_folders(target);
    else
      write_new_file(target, read_file(entry->path(), max_file_bytes), Sync::later);
  }
  if (failure) throw io_error(from.string(), "read", failure.value());
  swap.commit();
}

/// What distinguishes two plans beside their points.
Plan without_points(Plan plan) {
  plan.points.clear();
  plan.shard = {};
  plan.whole.reset();
  return plan;
}

/// A shard's folder and what its plan says but its points, which are many for all shards at once.
struct ShardPlan {
  fs::path folder{};
  Plan plan{};  ///< without points
  Shard shard{};
  Plan::Whole whole{};
};

ShardPlan shard_plan(const fs::path& folder) {
  PlanRecord record = read_plan_record(folder);
  if (record.whole) record.points.clear();  // those of the whole plan are looked at
  Plan plan = plan_from(record, folder.string());
  Plan::Whole whole =
      plan.whole.value_or(Plan::Whole{.id = plan_id(plan), .points = plan.points.size()});
  const Shard shard = plan.shard;
  return {folder, without_points(std::move(plan)), shard, std::move(whole)};
}

/// The plan of all shards, where whole_plan.json or the shard itself has it.
std::optional<Plan> whole_plan_at(const ShardPlan& shard) try {
  if (auto whole = whole_plan_from(read_plan_record(shard.folder), shard.folder.string()))
    return whole;
  const fs::path beside = fs::absolute(shard.folder) / ".." / whole_plan_file;
  if (!is_file_at(beside)) return std::nullopt;
  auto whole = whole_plan_from(plan_record(read_file(beside, max_file_bytes), beside.string()),
                               beside.string());
  return whole && plan_id(*whole) == shard.whole.id ? whole : std::nullopt;
} catch (const DataError&) {  // damaged: the shards have the points as well
  return std::nullopt;
}

void require_one_sweep(const ShardPlan& first, const ShardPlan& other) {
  std::vector<std::string> differences = plan_differences(first.plan, other.plan);
  if (differences.empty() && first.whole == other.whole) return;
  const auto before = whole_plan_at(first), after = whole_plan_at(other);
  if (before && after)
    differences = plan_differences(*before, *after);
  else if (differences.empty())
    differences.push_back(
        fmt::format("points: those of sweep {} -> {}", first.whole.id, other.whole.id));
  throw PlanError(other.folder.string(), differences);
}

/// Puts the points of all shards together in the sweep's order.
Plan assembled(const std::vector<ShardPlan>& shards) {
  const ShardPlan& first = shards.front();
  std::vector<std::optional<PlanPoint>> places(first.whole.points);
  for (const ShardPlan& one : shards) {
    std::vector<PlanPoint> points = read_plan(one.folder).points;
    for (std::size_t i = 0; i < points.size(); ++i)
      places.at(static_cast<std::size_t>(one.shard.index - 1) +
                i * static_cast<std::size_t>(one.shard.count)) = std::move(points[i]);
  }
  if (std::any_of(places.begin(), places.end(), [](const auto& point) { return !point; }))
    throw IoError(first.folder.string(),
                  fmt::format("is a shard of a sweep of {} points, and neither the other shards "
                              "nor {} beside it list them all",
                              places.size(), whole_plan_file),
                  "name the missing shards as well, or copy that file too");
  Plan plan = first.plan;
  for (std::optional<PlanPoint>& point : places) plan.points.push_back(*std::move(point));
  if (plan_id(plan) != first.whole.id)
    throw DataError(first.folder.string(), "does not have the points of its sweep",
                    "compute this shard again in another folder");
  return plan;
}

Plan common_plan(const std::vector<ShardPlan>& shards) {
  for (const ShardPlan& shard : shards) require_one_sweep(shards.front(), shard);
  for (const ShardPlan& shard : shards)
    if (auto whole = whole_plan_at(shard)) return *std::move(whole);
  return assembled(shards);
}

/// Throws PlanError when the text is another plan; a damaged one will be replaced.
void require_same_plan(const fs::path& path, const std::string& text, const Plan& plan) try {
  const auto before = whole_plan_from(plan_record(text, path.string()), path.string());
  if (!before) return;
  if (const auto differences = plan_differences(*before, plan); !differences.empty())
    throw PlanError(path.string(), differences);
} catch (const DataError&) {  // not a plan
}

class Merger {
 public:
  Merger(const fs::path& out, const Plan& plan) : plan_(plan), folder_(out, plan) {
    for (const PlanPoint* point : folder_.pending(plan)) pending_.insert(point->id);
    outcome_.total = plan.points.size();
  }

  /// A shard that is being written has to be merged later.
  void leave(const fs::path& shard, Shard own, const std::string& holder) {
    counts_.insert(own.count);
    indices_.insert(own.index);
    outcome_.held.emplace_back(shard, holder);
  }

  /// @param shard  lives until finish() has returned
  void take(const fs::path& shard, Shard own) {
    const JournalState state = read_journal(shard / journal_file);
    counts_.insert(own.count);
    indices_.insert(own.index);
    std::vector<const PlanPoint*> points;
    for (auto i = static_cast<std::size_t>(own.index - 1); i < plan_.points.size();
         i += static_cast<std::size_t>(own.count))
      if (const PlanPoint& point = plan_.points[i]; pending_.contains(point.id))
        points.push_back(&point);
    const ZipPack pack(shard / points_file);
    const std::vector<PointState> states = point_states(shard, state, points);
    bool complete = true;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const PlanPoint& point = *points[i];
      const PointState& found = states[i];
      if (found.status != PointStatus::pending) {
        take_point(shard, pack, state.entries.at(point.id), point);
        continue;
      }
      complete = false;
      if (!found.damage.empty())
        outcome_.damages.push_back(fmt::format("{} {}: {}", point_folder(shard, point.id).string(),
                                               point.label, found.damage));
    }
    if (!complete) outcome_.incomplete.push_back(shard);
    take_notes(shard);
  }

  MergeOutcome finish(const std::vector<std::string>& argv) {
    copy_groups();
    record_waiting();
    const auto now = iso8601_utc(std::chrono::system_clock::now());
    const std::vector<PointRecord> points = folder_.finish(
        plan_, outcome_.merged == 0
                   ? nlohmann::ordered_json(nullptr)
                   : nlohmann::ordered_json{
                         {"argv", argv}, {"finished", now}, {"points_merged", outcome_.merged}});
    for (const PointRecord& point : points)  // a shard that was written to while it was merged
      if (!point.damage.empty())
        outcome_.damages.push_back(
            fmt::format("{} {}: {}", point.folder, point.label, point.damage));
    outcome_.done = count_with(points, PointStatus::done);
    outcome_.lacks_shards =
        outcome_.done < outcome_.total && static_cast<int>(indices_.size()) != *counts_.rbegin();
    return outcome_;
  }

 private:
  /// A point in the pack of a shard.
  struct Group {
    const PlanPoint* point{};
    const fs::path* shard{};
    ZipPack::Place place{};
    JournalEntry entry{};
  };

  void take_notes(const fs::path& shard) try {
    const Notes notes = read_notes(shard);
    if (!notes.empty()) change_notes(folder_.path(), [&](Notes& all) { join_notes(all, notes); });
  } catch (const IoError&) {
    throw;
  } catch (const Error& error) {  // damaged, or too much: no number depends on them
    outcome_.damages.emplace_back(error.what());
  }

  /// Takes a point that is missing here, and that failed or is whole in the shard. The copy is looked
  /// at once more in the end.
  void take_point(const fs::path& shard, const ZipPack& pack, const JournalEntry& entry,
                  const PlanPoint& point) {
    if (entry.status == PointStatus::failed) {
      outcome_.failures.push_back(fmt::format("{} {}: {}", point.id, point.label, entry.error));
      waiting_.push_back(entry);
      return;
    }
    pending_.erase(point.id);
    ++outcome_.merged;
    if (const auto place = pack.find(point.id)) {
      groups_.push_back({&point, &shard, *place, entry});
      return;
    }
    record_waiting();  // a failure of the same point in another copy of this shard comes first
    copy_folder(point_folder(shard, point.id), folder_.point(entry.id));
    folder_.record(entry);
  }

  /// In the plan's order, in which the pack is going to be: otherwise it would be written twice.
  void copy_groups() {
    constexpr std::uint64_t most_bytes = 16 << 20;
    std::sort(groups_.begin(), groups_.end(),
              [](const Group& a, const Group& b) { return a.point < b.point; });
    for (std::span<Group> left(groups_); !left.empty();) {
      std::size_t count = 0;
      for (std::uint64_t bytes = 0; count < left.size() && bytes < most_bytes; ++count)
        bytes += left[count].place.bytes;
      copy(left.first(count));
      left = left.subspan(count);
    }
    groups_ = {};  // their memory is for the results
  }

  /// With one wait for the disk, as shards may be small.
  void copy(std::span<Group> groups) {
    std::vector<std::string> bytes(groups.size());
    for_points(groups.size(), [&](std::size_t i) {
      bytes[i] = read_group(*groups[i].shard / points_file, groups[i].place);
    });
    folder_.keep_groups(std::vector<std::string_view>(bytes.begin(), bytes.end()));
    for (Group& group : groups) waiting_.push_back(std::move(group.entry));
    record_waiting();
  }

  void record_waiting() {
    if (!waiting_.empty()) folder_.record(waiting_);
    waiting_.clear();
  }

  const Plan& plan_;
  SweepFolder folder_;
  std::vector<Group> groups_{};
  std::set<std::string> pending_{};
  std::set<int> counts_{};
  std::set<int> indices_{};
  MergeOutcome outcome_{};
  std::vector<JournalEntry> waiting_{};
};

}  // namespace

fs::path shard_folder(const fs::path& out, Shard shard) {
  fs::path folder = out;
  folder += ".shards";
  return folder / fmt::format("{}-of-{}", shard.index, shard.count);
}

std::vector<fs::path> shards_beside(const fs::path& out) {
  const fs::path parent = shard_folder(out, {}).parent_path();
  std::vector<fs::path> folders;
  if (!is_folder_at(parent)) return folders;
  std::error_code failure;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (is_sweep_folder(entry->path())) folders.push_back(entry->path());
  if (failure) throw io_error(parent.string(), "read", failure.value());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<fs::path> shard_folders(const fs::path& out) {
  const fs::path parent = shard_folder(out, {}).parent_path();
  std::vector<fs::path> folders = shards_beside(out);
  if (folders.empty())
    throw IoError(parent.string(), "contains no shard of a sweep",
                  "run orrery sweep … --shard i/n first, or name the shards' folders");
  return folders;
}

void keep_whole_plan(const fs::path& out, const Plan& plan) {
  const fs::path path = shard_folder(out, {}).parent_path() / whole_plan_file;
  const std::string text = plan_text(plan);
  const auto kept = [&]() -> std::string {
    return is_file_at(path) ? read_file(path, max_file_bytes) : "";
  };
  const std::string before = kept();
  if (before == text) return;
  if (!before.empty() && !shards_beside(out).empty()) require_same_plan(path, before, plan);
  try {
    atomic_write(path, text);
  } catch (const IoError&) {  // all shards of a job begin at once and write the same
    if (kept() != text) throw;
  }
}

MergeOutcome merge_shards(const fs::path& out, const std::vector<fs::path>& shards,
                          const std::vector<std::string>& argv) {
  std::vector<ShardPlan> parts;
  parts.reserve(shards.size());
  for (const fs::path& shard : shards) parts.push_back(shard_plan(shard));
  const Plan plan = common_plan(parts);
  Merger merger(out, plan);
  const auto held = held_folders(shards);
  for (const ShardPlan& part : parts)
    if (const auto holder = held.find(part.folder); holder != held.end())
      merger.leave(part.folder, part.shard, holder->second);
    else
      merger.take(part.folder, part.shard);
  return merger.finish(argv);
}

}  // namespace orrery
