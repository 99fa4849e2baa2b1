#include "experiments/batch/saved_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "core/errors.h"
#include "experiments/batch/json_fields.h"
#include "experiments/batch/plan.h"
#include "experiments/batch/saved_result.h"
#include "experiments/data/file.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 30;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::pair<std::string, std::string>> texts_of(const Json& json) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!json.is_object()) throw MalformedJson("'params' is not an object");
  for (const auto& [key, value] : json.items())
    pairs.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  return pairs;
}

SavedPoint planned_point(const Json& json) {
  return {.id = text_field(json, "id"),
          .label = text_field(json, "label"),
          .status = "pending",
          .repeat = static_cast<int>(integer_field(json, "repeat")),
          .params = texts_of(field(json, "params"))};
}

void read_plan(const Json& json, SavedSweep& sweep) {
  if (text_field(json, "schema") != plan_schema)
    throw MalformedJson(fmt::format("'schema' is not {}", plan_schema));
  sweep.experiment = text_field(json, "experiment");
  sweep.version = static_cast<int>(integer_field(json, "version"));
  sweep.seed = integer_field(json, "seed");
  sweep.repeats = static_cast<int>(integer_field(json, "repeats"));
  sweep.swept = texts_field(json, "swept");
  sweep.points = list_from(json, "points", planned_point);
}

/// In these lines NaN is null, as pandas writes it.
double line_number(const Json& json, const char* key) {
  return field(json, key).is_null() ? nan : number_field(json, key);
}

Check check_of(const std::string& name, const Json& json) {
  return {.name = name,
          .measured = line_number(json, "measured"),
          .relation = enum_field(json, "relation", relation_names()),
          .bound = line_number(json, "bound"),
          .tolerance = json.contains("tolerance") ? line_number(json, "tolerance") : 0.0};
}

void read_line(const Json& json, SavedPoint& point) {
  point.status = text_field(json, "status");
  if (json.contains("error")) point.error = text_field(json, "error");
  const auto params = texts_of(field(json, "params"));
  if (!params.empty()) point.params = params;
  const Json& scalars = field(json, "scalars");
  for (const auto& item : scalars.items())
    point.scalars.push_back(
        {.name = item.key(), .value = line_number(scalars, item.key().c_str())});
  for (const auto& item : field(json, "checks").items())
    point.checks.push_back(check_of(item.key(), item.value()));
}

/// The text of a file, or nothing and a problem.
std::string text_or_problem(const fs::path& path, SavedSweep& sweep) {
  std::error_code failure;
  if (!fs::exists(path, failure)) {
    sweep.problems.push_back(fmt::format("{}: is missing", path.string()));
    return {};
  }
  return read_file(path, max_bytes);
}

void read_results(SavedSweep& sweep) {
  const fs::path path = sweep.folder / "results.jsonl";
  std::map<std::string, SavedPoint*> by_id;
  for (SavedPoint& point : sweep.points) by_id[point.id] = &point;
  std::istringstream lines(text_or_problem(path, sweep));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = fmt::format("{}:{}", path.string(), ++number);
    try {
      const Json json = parse_saved_json(line, name);
      const auto point = by_id.find(text_field(json, "id"));
      if (point == by_id.end()) throw MalformedJson("its id is not in the plan");
      read_line(json, *point->second);
    } catch (const MalformedJson& error) {
      sweep.problems.push_back(fmt::format("{}: is damaged: {}", name, error.what()));
    } catch (const DataError& error) {
      sweep.problems.emplace_back(error.what());
    }
  }
}

void read_manifest(SavedSweep& sweep) {
  const fs::path path = sweep.folder / "manifest.json";
  const std::string text = text_or_problem(path, sweep);
  if (text.empty()) return;
  try {
    sweep.manifest = parse_saved_json(text, path.string());
  } catch (const DataError& error) {
    sweep.problems.emplace_back(error.what());
  }
}

}  // namespace

std::string SavedPoint::param(const std::string& key) const {
  for (const auto& [name, value] : params)
    if (name == key) return value;
  return {};
}

double SavedPoint::scalar(const std::string& name) const {
  for (const Scalar& one : scalars)
    if (one.name == name) return one.value;
  return nan;
}

fs::path SavedSweep::point_folder(const SavedPoint& point) const {
  return folder / "points" / point.id;
}

std::vector<std::string> SavedSweep::scalar_names() const {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const SavedPoint& point : points)
    for (const Scalar& scalar : point.scalars)
      if (known.insert(scalar.name).second) names.push_back(scalar.name);
  return names;
}

bool is_saved_sweep(const fs::path& folder) {
  std::error_code failure;
  return fs::exists(folder / "plan.json", failure);
}

SavedSweep load_sweep(const fs::path& folder) {
  SavedSweep sweep{.folder = folder};
  const fs::path path = folder / "plan.json";
  const Json plan = parse_saved_json(read_file(path, max_bytes), path.string());
  try {
    read_plan(plan, sweep);
  } catch (const MalformedJson& error) {
    throw DataError(path.string(), fmt::format("is damaged: {}", error.what()),
                    "copy the folder again, or run the sweep again");
  }
  read_results(sweep);
  read_manifest(sweep);
  return sweep;
}

}  // namespace orrery
