#include "experiments/sweeps/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/files/atomic_folder.h"
#include "experiments/files/file.h"
#include "experiments/results/manifest.h"
#include "experiments/sweeps/sweep_folder.h"

namespace orrery::sweeps {
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

Plan undivided(Plan plan) {
  plan.shard = {};
  return plan;
}

Plan common_plan(const std::vector<fs::path>& shards) {
  Plan plan = undivided(read_plan(shards.front()));
  for (const fs::path& shard : shards) {
    const std::vector<std::string> differences =
        plan_differences(plan, undivided(read_plan(shard)));
    if (!differences.empty()) throw PlanError(shard.string(), differences);
  }
  return plan;
}

class Merger {
 public:
  Merger(const fs::path& out, const Plan& plan) : plan_(plan), folder_(out, plan) {
    for (const PlanPoint* point : folder_.pending(plan)) pending_.insert(point->id);
    outcome_.total = plan.points.size();
  }

  void take(const fs::path& shard) {
    const Plan own = read_plan(shard);
    const FolderLock lock(shard);
    const JournalState state = read_journal(shard / journal_file);
    counts_.insert(own.shard.count);
    indices_.insert(own.shard.index);
    bool complete = true;
    for (const PlanPoint* point : own.own_points()) {
      const PointStatus status = point_status(shard, state, point->id);
      if (status != PointStatus::pending) {
        take_point(shard, state.entries.at(point->id));
        continue;
      }
      complete = false;
      if (const std::string damage = point_damage(shard, state, point->id); !damage.empty())
        outcome_.damages.push_back(
            fmt::format("{}: {}", point_folder(shard, point->id).string(), damage));
    }
    if (!complete) outcome_.incomplete.push_back(shard);
  }

  MergeOutcome finish(const std::vector<std::string>& argv) {
    const auto now = iso8601_utc(std::chrono::system_clock::now());
    const std::vector<PointRecord> points = folder_.finish(
        plan_, outcome_.merged == 0
                   ? nlohmann::ordered_json(nullptr)
                   : nlohmann::ordered_json{
                         {"argv", argv}, {"finished", now}, {"points_merged", outcome_.merged}});
    outcome_.done = count_with(points, PointStatus::done);
    outcome_.lacks_shards = static_cast<int>(indices_.size()) != *counts_.rbegin();
    return outcome_;
  }

 private:
  void take_point(const fs::path& shard, const JournalEntry& entry) {
    if (entry.status == PointStatus::failed) {
      ++outcome_.failed;
      if (pending_.contains(entry.id)) folder_.record(entry);
    } else if (pending_.erase(entry.id)) {
      copy_folder(point_folder(shard, entry.id), folder_.point(entry.id));
      folder_.record(entry);
      ++outcome_.merged;
    }
  }

  const Plan& plan_;
  SweepFolder folder_;
  std::set<std::string> pending_{};
  std::set<int> counts_{};
  std::set<int> indices_{};
  MergeOutcome outcome_{};
};

}  // namespace

fs::path shard_folder(const fs::path& out, Shard shard) {
  fs::path folder = out;
  folder += ".shards";
  return folder / fmt::format("{}-of-{}", shard.index, shard.count);
}

std::vector<fs::path> shards_beside(const fs::path& out) {
  std::vector<fs::path> folders;
  std::error_code failure;
  for (fs::directory_iterator entry(shard_folder(out, {}).parent_path(), failure), end;
       !failure && entry != end; entry.increment(failure))
    if (is_sweep_folder(entry->path())) folders.push_back(entry->path());
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

MergeOutcome merge_shards(const fs::path& out, const std::vector<fs::path>& shards,
                          const std::vector<std::string>& argv) {
  const Plan plan = common_plan(shards);
  Merger merger(out, plan);
  for (const fs::path& shard : shards) merger.take(shard);
  return merger.finish(argv);
}

}  // namespace orrery::sweeps
