#include "experiments/sweeps/sweep_layout.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/files/file.h"
#include "experiments/files/presence.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/manifest.h"
#include "experiments/results/params_json.h"
#include "experiments/results/result_json.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_journal_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t sum_digits = 16;
constexpr std::string_view sum_mark = ",\"sum\":\"";

std::string sum_of(std::string_view body) { return sha256_hex(body).substr(0, sum_digits); }

JournalEntry entry_from(const Json& json) {
  JournalEntry entry{.id = name_field(json, "id"),
                     .status = enum_field(json, "outcome", point_status_names())};
  if (entry.status == PointStatus::pending) throw MalformedJson("'outcome' is 'pending'");
  if (entry.status == PointStatus::done && json.contains("group_sha256"))
    entry.group_sha256 = text_field(json, "group_sha256");
  else if (entry.status == PointStatus::done)
    entry.manifest_sha256 = text_field(json, "manifest_sha256");
  else
    entry.error = text_field(json, "error");
  if (entry.status == PointStatus::done && entry.manifest_sha256.empty() &&
      entry.group_sha256.empty())
    throw MalformedJson("the SHA-256 is empty");
  return entry;
}

/// The entry in a line without its newline; empty when the line is damaged.
std::optional<JournalEntry> entry_in(std::string_view line) {
  const std::size_t tail = sum_mark.size() + sum_digits + 2;  // and "}
  if (line.size() <= tail || line.substr(line.size() - tail, sum_mark.size()) != sum_mark)
    return std::nullopt;
  const std::string_view body = line.substr(0, line.size() - tail);
  if (line.substr(line.size() - 2 - sum_digits, sum_digits) != sum_of(body)) return std::nullopt;
  try {
    return entry_from(json_in(line));
  } catch (const MalformedJson&) {
    return std::nullopt;
  }
}

void write_at_end(int fd, std::string_view bytes, const std::string& path) {
  const ssize_t count = retried([&] { return ::write(fd, bytes.data(), bytes.size()); });
  if (count < 0) throw io_error(path, "written", errno);
  if (static_cast<std::size_t>(count) != bytes.size()) throw io_error(path, "written", ENOSPC);
  sync_file(fd, path);
}

using Json = nlohmann::ordered_json;

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

const EnumNames<PointStatus>& point_status_names() {
  static const EnumNames<PointStatus> names{{PointStatus::pending, "pending"},
                                            {PointStatus::done, "done"},
                                            {PointStatus::failed, "failed"}};
  return names;
}

std::string PointRecord::param(const std::string& key) const {
  for (const auto& [name, value] : params)
    if (name == key) return value;
  return {};
}

double PointRecord::scalar(const std::string& name) const {
  for (const Scalar& one : scalars)
    if (one.name == name) return one.value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::size_t PointRecord::holding_checks() const {
  return static_cast<std::size_t>(std::count_if(checks.begin(), checks.end(),
                                                [](const Check& check) { return check.holds(); }));
}

std::size_t count_with(const std::vector<PointRecord>& points, PointStatus status) {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(),
                    [&](const PointRecord& point) { return point.status == status; }));
}

std::vector<std::string> scalar_names(const std::vector<PointRecord>& points) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const PointRecord& point : points)
    for (const Scalar& scalar : point.scalars)
      if (known.insert(scalar.name).second) names.push_back(scalar.name);
  return names;
}

std::string journal_line(const JournalEntry& entry) {
  Json json{{"id", entry.id}, {"outcome", name_of(entry.status)}};
  if (!entry.group_sha256.empty())
    json["group_sha256"] = entry.group_sha256;
  else if (entry.status == PointStatus::done)
    json["manifest_sha256"] = entry.manifest_sha256;
  else
    json["error"] = entry.error;
  std::string body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  body.pop_back();
  return fmt::format("{}{}{}\"}}\n", body, sum_mark, sum_of(body));
}

JournalState read_journal(const std::filesystem::path& path) {
  JournalState state;
  std::error_code failure;
  if (!std::filesystem::exists(path, failure) && !failure) return state;
  const std::string text = read_growing_file(path, max_journal_bytes);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;
    const std::optional<JournalEntry> entry =
        entry_in(std::string_view(text).substr(start, end - start));
    if (entry)
      state.entries[entry->id] = *entry;
    else
      ++state.damaged_lines;
    start = end + 1;
    state.intact = start;
  }
  return state;
}

Journal::Journal(std::filesystem::path path, const JournalState& state)
    : path_(std::move(path)), fd_(opened(path_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)) {
  if (!fd_.is_open()) throw io_error(path_.string(), "opened", errno);
  struct stat status {};
  const bool longer = retried([&] { return ::fstat(fd_.get(), &status); }) == 0 &&
                      static_cast<std::uintmax_t>(status.st_size) > state.intact;
  const auto intact = static_cast<off_t>(state.intact);
  if (longer && retried([&] { return ::ftruncate(fd_.get(), intact); }) != 0)
    throw io_error(path_.string(), "written", errno);
}

void Journal::append(std::span<const JournalEntry> entries) {
  const off_t before = ::lseek(fd_.get(), 0, SEEK_END);
  std::string lines;
  for (const JournalEntry& entry : entries) lines += journal_line(entry);
  try {
    write_at_end(fd_.get(), lines, path_.string());
  } catch (const IoError&) {
    // If this fails too, the next reader finds an incomplete last line and drops it.
    if (before >= 0 && ::ftruncate(fd_.get(), before) != 0) errno = 0;
    throw;
  }
}

Json to_json(const PointRecord& point, std::span<const ParamSpec> specs) {
  Json json{{"id", point.id},
            {"label", point.label},
            {"status", name_of(point.status)},
            {"repeat", point.repeat}};
  if (point.seed) json["seed"] = *point.seed;
  if (!point.error.empty()) json["error"] = point.error;
  json["params"] = point.is_done() ? params_json(point.params, specs) : Json::object();
  json["scalars"] = Json::object();
  json["checks"] = Json::object();
  for (const Scalar& scalar : point.scalars)
    json["scalars"][scalar.name] = number_json(scalar.value);
  for (const Check& check : point.checks) json["checks"][check.name] = check_numbers_json(check);
  return json;
}

void read_point(const Json& json, PointRecord& point) {
  point.status = enum_field(json, "status", point_status_names());
  if (json.contains("error")) point.error = text_field(json, "error");
  auto params = settings_field(json, "params");
  if (!params.empty()) point.params = std::move(params);
  const Json& scalars = field(json, "scalars");
  for (const auto& item : scalars.items())
    point.scalars.push_back(
        {.name = item.key(), .value = number_field(scalars, item.key().c_str())});
  for (const auto& item : field(json, "checks").items()) {
    point.checks.push_back(check_numbers_from(item.value()));
    point.checks.back().name = item.key();
  }
}

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
