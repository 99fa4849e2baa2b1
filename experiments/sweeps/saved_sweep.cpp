#include "experiments/sweeps/saved_sweep.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/results/csv_reader.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/point_json.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery::sweeps {
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
  record.folder = point_folder(sweep, record.id);
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

/// The text of a file; empty, with a problem noted, when it is missing.
std::string text_or_problem(const fs::path& path, SavedSweep& sweep) {
  std::error_code failure;
  if (!fs::exists(path, failure)) {
    sweep.problems.push_back(fmt::format("{}: is missing", path.string()));
    return {};
  }
  return read_file(path, max_bytes);
}

void read_results(SavedSweep& sweep) {
  const fs::path path = sweep.folder / results_file;
  std::map<std::string, PointRecord*> by_id;
  for (PointRecord& point : sweep.points) by_id[point.id] = &point;
  std::istringstream lines(text_or_problem(path, sweep));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = fmt::format("{}:{}", path.string(), ++number);
    try {
      const Json json = parse_saved_json(line, name);
      const auto point = by_id.find(text_field(json, "id"));
      if (point == by_id.end()) throw MalformedJson("its id is not in the plan");
      read_point(json, *point->second);
    } catch (const MalformedJson& error) {
      sweep.problems.push_back(fmt::format("{}: is damaged: {}", name, error.what()));
    } catch (const DataError& error) {
      sweep.problems.emplace_back(error.what());
    }
  }
}

void read_manifest(SavedSweep& sweep) {
  const fs::path path = sweep.folder / manifest_file;
  const std::string text = text_or_problem(path, sweep);
  if (text.empty()) return;
  try {
    sweep.manifest = parse_saved_json(text, path.string());
  } catch (const DataError& error) {
    sweep.problems.emplace_back(error.what());
  }
}

void read_measures(SavedSweep& sweep) try {
  const fs::path path = sweep.folder / measures_file;
  if (std::error_code failure; !fs::exists(path, failure)) return;
  sweep.measures = titles_in(
      read_csv(read_file(path, max_bytes), empty_measures_table(), std::nullopt, path.string()));
} catch (const DataError& error) {
  sweep.problems.emplace_back(error.what());
}

}  // namespace

SavedSweep load_sweep(const fs::path& folder) {
  SavedSweep sweep = planned(folder, read_plan_record(folder));
  read_results(sweep);
  read_measures(sweep);
  read_manifest(sweep);
  return sweep;
}

}  // namespace orrery::sweeps
