#include "experiments/sweeps/sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.h"
#include "experiments/files/atomic_write.h"
#include "experiments/results/csv.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/params_json.h"
#include "experiments/results/result_json.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_result_bytes = std::uintmax_t{1} << 30;

[[noreturn]] void refuse(const fs::path& path, const std::exception& error) {
  throw DataError(path.string(), fmt::format("is damaged ({})", error.what()),
                  "remove the point's folder and resume the sweep");
}

void read_result(const ResultFiles& found, PointRecord& point) try {
  Result result = result_head(found.read("result.json", max_result_bytes));
  point.params = std::move(result.provenance.params);
  point.scalars = std::move(result.scalars);
  point.checks = std::move(result.checks);
} catch (const MalformedJson& error) {
  refuse(fs::path(point.folder) / "result.json", error);
}

PointRecord planned(const fs::path& sweep, const PlanPoint& point) {
  PointRecord record{.id = point.id,
                     .label = point.label,
                     .repeat = point.repeat,
                     .folder = point_folder(sweep, point.id).string(),
                     .params = stated_settings(point.params)};
  if (reads_seed(point.params)) record.seed = point.params.integer("seed");
  return record;
}

/// A file of items, so many at a time, and of none as of no item.
template <class Item, class Text>
void write_in_parts(const fs::path& path, std::span<const Item> items, Text text_of) {
  constexpr std::size_t at_once = 4096;
  AtomicFile file(path, 0);
  std::uintmax_t written = 0;
  do {
    const std::size_t count = std::min(at_once, items.size());
    const std::string text = text_of(items.first(count));
    file.write(written, text);
    written += text.size();
    items = items.subspan(count);
  } while (!items.empty());
  file.commit();
}

}  // namespace

PointRecord point_record(const fs::path& sweep, const PlanPoint& point, const JournalState& journal,
                         bool is_whole) {
  PointRecord record = planned(sweep, point);
  const auto entry = journal.entries.find(point.id);
  if (entry == journal.entries.end()) return record;
  record.status = entry->second.status;
  record.error = entry->second.error;
  if (!record.is_done()) return record;
  const ResultFiles files(record.folder);
  if (!is_whole) {
    PointState found = point_state(files, journal, point.id);
    record.status = found.status;
    record.damage = std::move(found.damage);
  }
  if (record.is_done()) read_result(files, record);
  return record;
}

std::vector<PointRecord> point_records(const fs::path& sweep, const Plan& plan,
                                       const JournalState& journal,
                                       std::span<const PointState> before) {
  std::vector<PointRecord> records(plan.points.size());
  for_points(records.size(), [&](std::size_t i) {
    const bool is_whole = i < before.size() && before[i].status == PointStatus::done;
    records[i] = point_record(sweep, plan.points[i], journal, is_whole);
  });
  return records;
}

std::string results_jsonl(const Plan& plan, std::span<const PointRecord> points) {
  std::vector<std::string> lines(points.size());
  for_points(lines.size(), [&](std::size_t i) {
    lines[i] = json_line(to_json(points[i], plan.experiment->info.params));
  });
  return fmt::format("{}", fmt::join(lines, ""));
}

void write_results(const fs::path& path, const Plan& plan, std::span<const PointRecord> points) {
  write_in_parts(path, points,
                 [&](std::span<const PointRecord> part) { return results_jsonl(plan, part); });
}

void write_results_csv(const fs::path& path, const TidyTable& tidy) {
  TidyTable part{.keys = tidy.keys,
                 .has_encodings = tidy.has_encodings,
                 .measures = tidy.measures,
                 .checks = tidy.checks};
  bool first = true;
  write_in_parts(path, std::span<const TidyRow>(tidy.rows), [&](std::span<const TidyRow> rows) {
    part.rows.assign(rows.begin(), rows.end());
    std::string text = csv_text(results_table(part));
    if (!first) text.erase(0, text.find('\n') + 1);  // the header
    first = false;
    return text;
  });
}

std::string tidy_jsonl(const TidyTable& table, std::span<const ParamSpec> specs) {
  std::string text;
  for (const TidyRow& row : table.rows) {
    const PointRecord& point = *row.point;
    nlohmann::ordered_json json{
        {"id", point.id}, {"status", name_of(point.status)}, {"repeat", point.repeat}};
    json.update(params_json(point.params, specs));
    if (table.has_encodings) json["encoding"] = row.encoding;
    for (std::size_t m = 0; m < table.measures.size(); ++m)
      if (!json.contains(table.measures[m])) json[table.measures[m]] = number_json(row.values[m]);
    for (std::size_t c = 0; c < table.checks.size(); ++c)
      if (row.checks[c]) json["check." + table.checks[c]] = check_numbers_json(*row.checks[c]);
    text += json_line(json);
  }
  return text;
}

}  // namespace orrery
