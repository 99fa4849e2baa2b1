#include "experiments/sweeps/saved_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/files/presence.h"
#include "experiments/results/csv.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 30;

PointRecord planned(const fs::path& sweep, PlanRecord::Point point) {
  PointRecord record{.id = std::move(point.id),
                     .label = std::move(point.label),
                     .repeat = point.repeat,
                     .seed = point.seed,
                     .params = std::move(point.params)};
  record.folder = point_folder(sweep, record.id).string();
  for (auto& [key, value] : point.swept)  // also one that is the default
    if (record.param(key).empty()) record.params.emplace_back(key, value);
  return record;
}

SavedSweep planned(const fs::path& folder, PlanRecord plan) {
  SavedSweep sweep{.folder = folder,
                   .experiment = std::move(plan.experiment),
                   .version = plan.version,
                   .seed = plan.seed,
                   .repeats = plan.repeats,
                   .swept = std::move(plan.swept)};
  for (PlanRecord::Point& point : plan.points)
    sweep.points.push_back(planned(folder, std::move(point)));
  return sweep;
}

/// A problem is noted of one that is missing.
bool is_found(const fs::path& path, SavedSweep& sweep) {
  if (is_there(path)) return true;
  sweep.problems.push_back(fmt::format("{}: is missing", path.string()));
  return false;
}

/// Up to the next end of line; `text` is what follows it.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// A line of results.jsonl and what it says, or why it says nothing.
struct ReadLine {
  std::string_view text{};
  std::string name{};
  Json json{};
  std::exception_ptr failure{};
};

void read(ReadLine& line) try {
  line.json = parse_saved_json(line.text, line.name);
} catch (const DataError&) {
  line.failure = std::current_exception();
}

using PointsById = std::unordered_map<std::string_view, PointRecord*>;

void take(const ReadLine& line, const PointsById& points, SavedSweep& sweep) try {
  if (line.failure) std::rethrow_exception(line.failure);
  const auto point = points.find(text_field(line.json, "id"));
  if (point == points.end()) throw MalformedJson("its id is not in the plan");
  read_point(line.json, *point->second);
} catch (const MalformedJson& error) {
  sweep.problems.push_back(fmt::format("{}: is damaged: {}", line.name, error.what()));
} catch (const DataError& error) {
  sweep.problems.emplace_back(error.what());
}

void read_results(SavedSweep& sweep) {
  const fs::path path = sweep.folder / results_file;
  if (!is_found(path, sweep)) return;
  PointsById by_id;
  for (PointRecord& point : sweep.points) by_id[point.id] = &point;
  const MappedFile file(path);
  int number = 0;
  for (std::string_view text = file.bytes(); !text.empty();) {
    constexpr std::size_t at_once = 1024;
    std::vector<ReadLine> lines;
    while (!text.empty() && lines.size() < at_once)
      lines.push_back(
          {.text = next_line(text), .name = fmt::format("{}:{}", path.string(), ++number)});
    for_points(lines.size(), [&](std::size_t i) { read(lines[i]); });
    file.require_whole();
    for (const ReadLine& line : lines) take(line, by_id, sweep);
    file.forget();
  }
}

void read_manifest(SavedSweep& sweep) {
  const fs::path path = sweep.folder / manifest_file;
  if (!is_found(path, sweep)) return;
  try {
    sweep.manifest = parse_saved_json(read_file(path, max_bytes), path.string());
  } catch (const DataError& error) {
    sweep.problems.emplace_back(error.what());
  }
}

void read_measures(SavedSweep& sweep) try {
  const fs::path path = sweep.folder / measures_file;
  if (!is_there(path)) return;
  sweep.measures = titles_in(
      read_csv(read_file(path, max_bytes), empty_measures_table(), std::nullopt, path.string()));
} catch (const DataError& error) {
  sweep.problems.emplace_back(error.what());
}

/// What is wrong with a point that the journal has lost.
std::string damage_by_manifest(const PointRecord& point) try {
  const std::vector<std::string> damages = SavedFolder(point.folder).damages();
  return damages.empty() ? "" : damages.front();
} catch (const Error& error) {
  return error.what();
}

}  // namespace

std::string point_name(const PointRecord& point) {
  return point.label.empty() ? point.id : fmt::format("{} ({})", point.label, point.id);
}

std::vector<std::string> damage_messages(const SavedSweep& sweep) {
  const JournalState journal = read_journal(sweep.folder / journal_file);
  std::vector<std::string> messages(sweep.points.size());
  for_points(messages.size(), [&](std::size_t i) {
    const PointRecord& point = sweep.points[i];
    if (!point.is_done()) return;
    const std::string damage = journal.entries.contains(point.id)
                                   ? point_state(sweep.folder, journal, point.id).damage
                                   : damage_by_manifest(point);
    if (!damage.empty())
      messages[i] = fmt::format("point {} is damaged: {}", point_name(point), damage);
  });
  std::erase(messages, "");
  return messages;
}

std::vector<std::string> points_without_result(const SavedSweep& sweep) {
  constexpr std::size_t most_pending = 12;
  std::vector<std::string> messages;
  std::size_t pending = 0;
  for (const PointRecord& point : sweep.points) {
    if (point.status == PointStatus::failed)
      messages.push_back(fmt::format("point {} failed: {}", point_name(point), point.error));
    if (point.status == PointStatus::pending && ++pending <= most_pending)
      messages.push_back(fmt::format("point {} has no result yet", point_name(point)));
  }
  if (pending > most_pending)
    messages.push_back(fmt::format("{} more points have no result yet", pending - most_pending));
  return messages;
}

SavedSweep load_sweep(const fs::path& folder) {
  SavedSweep sweep = planned(folder, read_plan_record(folder));
  read_results(sweep);
  read_measures(sweep);
  read_manifest(sweep);
  return sweep;
}

std::shared_ptr<const SavedSweep> kept_sweep(const fs::path& folder) {
  static std::mutex mutex;
  static std::vector<FileVersion> last;
  static std::shared_ptr<const SavedSweep> kept;
  std::vector<FileVersion> versions;
  for (const char* file : {plan_file, results_file, measures_file, manifest_file})
    versions.push_back(version_at(folder / file));
  const std::lock_guard lock(mutex);
  if (kept && versions == last) return kept;
  kept = nullptr;  // before there are two
  kept = std::make_shared<const SavedSweep>(load_sweep(folder));
  last = std::move(versions);
  return kept;
}

}  // namespace orrery
