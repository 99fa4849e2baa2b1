#include "experiments/sweeps/sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/results/csv.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/result_json.h"
#include "experiments/sweeps/point_json.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery::sweeps {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Points = std::vector<PointRecord>;

constexpr std::uintmax_t max_result_bytes = std::uintmax_t{1} << 30;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const fs::path& path, const std::exception& error) {
  throw DataError(path.string(), fmt::format("is damaged ({})", error.what()),
                  "remove the point's folder and resume the sweep");
}

/// Reads result.json alone: figures and arrays, which are in other files, are left out.
void read_result(const fs::path& path, PointRecord& point) try {
  Result result = result_from_json(
      json_in(read_file(path, max_result_bytes)), [](const auto&) { return std::nullopt; },
      [](const Array&) { return nullptr; });
  point.params = std::move(result.provenance.params);
  point.scalars = std::move(result.scalars);
  point.checks = std::move(result.checks);
} catch (const MalformedJson& error) {
  refuse(path, error);
}

PointRecord planned(const fs::path& sweep, const PlanPoint& point) {
  PointRecord record{.id = point.id,
                     .label = point.label,
                     .repeat = point.repeat,
                     .folder = point_folder(sweep, point.id)};
  if (reads_seed(point.params)) record.seed = point.params.integer("seed");
  for (const ParamSpec& spec : point.params.specs())
    if (point.params.is_stated(spec.key))
      record.params.emplace_back(spec.key, point.params.to_text(spec.key));
  return record;
}

/// Names in the order in which the points first have them.
template <class NamesOf>
std::vector<std::string> names_over(const Points& points, NamesOf names_of) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const PointRecord& point : points)
    for (const std::string& name : names_of(point))
      if (known.insert(name).second) names.push_back(name);
  return names;
}

Column text_column(const std::string& name, const Points& points,
                   const std::function<std::string(const PointRecord&)>& text_of) {
  std::vector<std::string> values;
  for (const PointRecord& point : points) values.push_back(text_of(point));
  return {.name = name, .unit = {}, .values = std::move(values)};
}

Column number_column(const std::string& name, const Points& points,
                     const std::function<double(const PointRecord&)>& number_of) {
  std::vector<double> values;
  for (const PointRecord& point : points) values.push_back(number_of(point));
  return {.name = name, .unit = {}, .values = std::move(values)};
}

const Check* find_check(const PointRecord& point, const std::string& name) {
  const auto found = std::find_if(point.checks.begin(), point.checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  return found == point.checks.end() ? nullptr : &*found;
}

/// The swept keys first.
std::vector<std::string> param_keys(const Plan& plan, const Points& points) {
  std::vector<std::string> keys = plan.swept;
  const auto used = [](const PointRecord& point) {
    std::vector<std::string> names;
    for (const auto& [key, value] : point.params) names.push_back(key);
    return names;
  };
  for (const std::string& key : names_over(points, used))
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

void add_scalars(const Points& points, const std::vector<std::string>& params, Table& table) {
  for (const std::string& name : scalar_names(points)) {
    const bool taken = std::find(params.begin(), params.end(), name) != params.end();
    table.columns.push_back(
        number_column(taken ? "scalar." + name : name, points,
                      [&](const PointRecord& point) { return point.scalar(name); }));
  }
}

void add_checks(const Points& points, Table& table) {
  const auto names_of = [](const PointRecord& point) {
    std::vector<std::string> names;
    for (const Check& check : point.checks) names.push_back(check.name);
    return names;
  };
  for (const std::string& name : names_over(points, names_of)) {
    table.columns.push_back(number_column("check." + name, points, [&](const PointRecord& point) {
      const Check* check = find_check(point, name);
      return check ? check->measured : nan;
    }));
    table.columns.push_back(text_column("check." + name + ".holds", points,
                                        [&](const PointRecord& point) -> std::string {
                                          const Check* check = find_check(point, name);
                                          return !check ? "" : check->holds() ? "true" : "false";
                                        }));
  }
}

}  // namespace

PointRecord point_record(const fs::path& sweep, const PlanPoint& point,
                         const JournalState& journal) {
  PointRecord record = planned(sweep, point);
  record.status = point_status(sweep, journal, point.id);
  if (record.status == PointStatus::failed) record.error = journal.entries.at(point.id).error;
  if (record.is_done()) read_result(record.folder / "result.json", record);
  return record;
}

std::vector<PointRecord> point_records(const fs::path& sweep, const Plan& plan,
                                       const JournalState& journal) {
  std::vector<PointRecord> records;
  for (const PlanPoint* point : plan.own_points())
    records.push_back(point_record(sweep, *point, journal));
  return records;
}

std::string results_jsonl(const Plan& plan, const Points& points) {
  std::string text;
  for (const PointRecord& point : points)
    text += json_line(to_json(point, plan.experiment->info.params));
  return text;
}

std::string results_csv(const Plan& plan, const Points& points) {
  Table table{.name = "results"};
  table.columns.push_back(text_column("id", points, [](const auto& p) { return p.id; }));
  table.columns.push_back(
      text_column("status", points, [](const auto& p) { return std::string(name_of(p.status)); }));
  table.columns.push_back(
      number_column("repeat", points, [](const auto& p) { return static_cast<double>(p.repeat); }));
  const std::vector<std::string> params = param_keys(plan, points);
  for (const std::string& key : params)
    table.columns.push_back(
        text_column(key, points, [&](const PointRecord& point) { return point.param(key); }));
  add_scalars(points, params, table);
  add_checks(points, table);
  table.columns.push_back(text_column("error", points, [](const auto& p) { return p.error; }));
  return csv_text(table);
}

}  // namespace orrery::sweeps
