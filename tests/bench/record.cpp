#include "tests/bench/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/errors.h"
#include "core/kernels/level.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/manifest.h"
#include "experiments/results/result_json.h"
#include "tests/bench/measure.h"

namespace orrery::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "orrery.bench/1";
constexpr double least_change = 0.05;

std::string this_level() { return std::string(kernels::name(kernels::best_level())); }

Json row_json(const Measured& row) {
  return {{"operation", row.name}, {"seconds", row.seconds}, {"costs", row.costs}};
}

Measured row_from(const Json& json) {
  Measured row{.name = text_field(json, "operation"),
               .seconds = numbers_field(json, "seconds"),
               .costs = numbers_field(json, "costs")};
  if (row.costs.empty() || row.costs.size() != row.seconds.size())
    throw MalformedJson("an operation has no rounds");
  return row;
}

/// The middle half of the values, and their median.
Spread middle_half(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 4;
  return {values[cut], values[values.size() / 2], values[values.size() - 1 - cut]};
}

}  // namespace

void write_record(const std::filesystem::path& path, const std::vector<Measured>& rows) {
  Json json{{"schema", schema},
            {"commit", build_info().commit},
            {"cpu", machine_json()["cpu"]},
            {"kernels", this_level()},
            {"operations", Json::array()}};
  for (const Measured& row : rows) json["operations"].push_back(row_json(row));
  atomic_write(path, json_text(json));
}

Record::Record(const std::filesystem::path& path) try {
  constexpr std::uintmax_t most_bytes = 1 << 24;
  const Json json = json_in(read_file(path, most_bytes));
  if (text_field(json, "schema") != schema)
    throw MalformedJson(fmt::format("'schema' is not {}", schema));
  commit_ = text_field(json, "commit");
  cpu_ = text_field(json, "cpu");
  level_ = text_field(json, "kernels");
  for (const Json& row : list_field(json, "operations")) rows_.push_back(row_from(row));
} catch (const MalformedJson& error) {
  throw DataError(path.string(), fmt::format("is no record of a benchmark ({})", error.what()),
                  "write one with ./orrery bench --record FILE");
}

bool Record::compare(const std::vector<Measured>& rows) const {
  fmt::print(
      "\nAgainst commit {:.12}: cost before over cost now, by the limit of the same seconds\n",
      commit_);
  if (cpu_ != machine_json()["cpu"].get<std::string>() || level_ != this_level())
    fmt::print("which was measured on another machine: {}, kernels for {}\n", cpu_, level_);
  fmt::print("\n{:<44} {:>10} {:>10} {:>10}\n", "operation", "before, ms", "now, ms", "ratio");
  bool none_slower = true;
  for (const Measured& row : rows) {
    const auto before = std::find_if(rows_.begin(), rows_.end(),
                                     [&](const Measured& one) { return one.name == row.name; });
    if (before == rows_.end()) {
      fmt::print("{:<44} {:>10} {:>10.3f} {:>10}\n", row.name, "-",
                 1e3 * spread(row.seconds).median, "-");
      continue;
    }
    const Spread was = middle_half(before->costs), is = middle_half(row.costs);
    const bool slower = is.least > (1 + least_change) * was.most;
    const bool faster = was.least > (1 + least_change) * is.most;
    none_slower = none_slower && !slower;
    fmt::print("{:<44} {:>10.3f} {:>10.3f} {:>10.3f} {}\n", row.name,
               1e3 * spread(before->seconds).median, 1e3 * spread(row.seconds).median,
               was.median / is.median,
               slower   ? "SLOWER"
               : faster ? "faster"
                        : "");
  }
  return none_slower;
}

}  // namespace orrery::bench
