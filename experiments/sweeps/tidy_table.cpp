#include "experiments/sweeps/tidy_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "experiments/setup/encoding_summary.h"

namespace orrery {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr const char* encoding_key = "encoding";

using Names = std::vector<std::string>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_once(Names& names, std::string name) {
  if (!contains(names, name)) names.push_back(std::move(name));
}

/// "rope+alibi" as two names.
Names split_names(const std::string& list) {
  Names names;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t plus = std::min(list.find('+', start), list.size());
    add_once(names, list.substr(start, plus - start));
    start = plus + 1;
  }
  return names;
}

/// The encodings that a point compares and those that it has numbers of.
Names encodings_of(const PointRecord& point) {
  Names names = split_names(point.param(encoding_key));
  for (const Scalar& scalar : point.scalars)
    if (MeasureName name = measure_name(scalar.name); !name.encoding.empty())
      add_once(names, std::move(name.encoding));
  if (names.empty()) names.emplace_back();
  return names;
}

/// Whether a number is in the row of this encoding.
bool is_of(const MeasureName& name, const std::string& encoding) {
  return name.encoding.empty() || name.encoding == encoding;
}

/// The values of each setting over the points that have it, in the order of the points.
std::map<std::string, std::set<std::string>> values_of(const std::vector<PointRecord>& points,
                                                       Names& order) {
  std::map<std::string, std::set<std::string>> values;
  for (const PointRecord& point : points)
    for (const auto& [key, value] : point.params) {
      add_once(order, key);
      values[key].insert(value);
    }
  return values;
}

void add_settings(const std::vector<PointRecord>& points, const Names& swept, TidyTable& table) {
  Names order = swept;
  const auto values = values_of(points, order);
  for (const std::string& key : order) {
    if (!values.contains(key)) continue;
    const std::set<std::string>& of_key = values.at(key);
    const bool of_rows = key == encoding_key && table.has_encodings;
    const bool of_repeats = key == "seed" && !contains(swept, key);
    if (of_rows || (of_repeats && of_key.size() > 1)) continue;
    if (of_key.size() == 1 && !contains(swept, key))
      table.constants.emplace_back(key, *of_key.begin());
    else
      table.keys.push_back(key);
  }
}

TidyRow row_of(const PointRecord& point, const std::string& encoding, const TidyTable& table) {
  TidyRow row{.point = &point,
              .encoding = encoding,
              .values = std::vector<double>(table.measures.size(), nan),
              .checks = std::vector<const Check*>(table.checks.size(), nullptr)};
  const auto place = [](const Names& names, const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  for (const Scalar& scalar : point.scalars)
    if (const MeasureName name = measure_name(scalar.name); is_of(name, encoding))
      row.values[place(table.measures, name.measure)] = scalar.value;
  for (const Check& check : point.checks)
    if (const MeasureName name = measure_name(check.name); is_of(name, encoding))
      row.checks[place(table.checks, name.measure)] = &check;
  return row;
}

/// @param of  returns a number or a text of a row
template <class Of>
Column column(const std::string& name, const TidyTable& table, Of of) {
  std::vector<decltype(of(table.rows.front()))> values;
  for (const TidyRow& row : table.rows) values.push_back(of(row));
  return {.name = name, .unit = {}, .values = std::move(values)};
}

std::string group_of(const TidyRow& row, const TidyTable& table) {
  std::string text = row.encoding + "\n";
  for (const std::string& key : table.keys) text += row.point->param(key) + "\n";
  return text;
}

void add_checks(const TidyTable& tidy, Table& table) {
  for (std::size_t c = 0; c < tidy.checks.size(); ++c) {
    const std::string name = "check." + tidy.checks[c];
    table.columns.push_back(column(name, tidy, [c](const TidyRow& row) {
      return row.checks[c] ? row.checks[c]->measured : nan;
    }));
    table.columns.push_back(column(name + ".holds", tidy, [c](const TidyRow& row) -> std::string {
      return !row.checks[c] ? "" : row.checks[c]->holds() ? "true" : "false";
    }));
  }
}

}  // namespace

MeasureName measure_name(std::string_view scalar) {
  // The longest name that fits: one encoding's name may begin another's.
  std::string_view found;
  for (const EncodingSummary& encoding : encoding_list()) {
    const std::string_view name = encoding.name;
    const bool fits =
        scalar.size() > name.size() + 1 && scalar.starts_with(name) && scalar[name.size()] == '_';
    if (fits && name.size() > found.size()) found = name;
  }
  if (found.empty()) return {"", std::string(scalar)};
  return {std::string(found), std::string(scalar.substr(found.size() + 1))};
}

TidyTable tidy_table(const std::vector<PointRecord>& points, const Names& swept) {
  TidyTable table;
  for (const PointRecord& point : points) {
    for (const Scalar& scalar : point.scalars)
      add_once(table.measures, measure_name(scalar.name).measure);
    for (const Check& check : point.checks)
      add_once(table.checks, measure_name(check.name).measure);
    table.has_encodings = table.has_encodings || !encodings_of(point).front().empty();
  }
  add_settings(points, swept, table);
  for (const PointRecord& point : points)
    for (const std::string& encoding : encodings_of(point))
      table.rows.push_back(row_of(point, encoding, table));
  return table;
}

std::vector<RepeatGroup> repeat_groups(const TidyTable& table) {
  std::vector<RepeatGroup> groups;
  std::map<std::string, std::size_t> known;
  for (const TidyRow& row : table.rows) {
    if (!row.point->is_done()) continue;
    const auto [found, fresh] = known.emplace(group_of(row, table), groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].rows.push_back(&row);
  }
  for (RepeatGroup& group : groups)
    for (std::size_t m = 0; m < table.measures.size(); ++m) {
      std::vector<double> values;
      for (const TidyRow* row : group.rows)
        if (std::isfinite(row->values[m])) values.push_back(row->values[m]);
      group.moments.push_back(sample_moments(values));
    }
  return groups;
}

bool is_constant(const TidyTable& table, std::size_t measure) {
  std::optional<double> value;
  bool any_missing = false, any_number = false;
  for (const TidyRow& row : table.rows) {
    const double here = row.values[measure];
    any_missing = any_missing || std::isnan(here);
    if (std::isnan(here)) continue;
    any_number = true;
    if (value && *value != here) return false;
    value = here;
  }
  return table.rows.size() > 1 && !(any_number && any_missing);
}

Table results_table(const TidyTable& tidy) {
  Table table{.name = "results"};
  const auto add = [&](const std::string& name, auto of) {
    table.columns.push_back(column(name, tidy, of));
  };
  add("id", [](const TidyRow& row) { return row.point->id; });
  add("status", [](const TidyRow& row) { return std::string(name_of(row.point->status)); });
  add("repeat", [](const TidyRow& row) { return static_cast<double>(row.point->repeat); });
  if (!contains(tidy.keys, "seed"))
    add("seed", [](const TidyRow& row) { return row.point->param("seed"); });
  for (const std::string& key : tidy.keys)
    add(key, [&](const TidyRow& row) { return row.point->param(key); });
  if (tidy.has_encodings) add(encoding_key, [](const TidyRow& row) { return row.encoding; });
  for (std::size_t m = 0; m < tidy.measures.size(); ++m) {
    const bool taken = contains(tidy.keys, tidy.measures[m]);
    add(taken ? "measure." + tidy.measures[m] : tidy.measures[m],
        [m](const TidyRow& row) { return row.values[m]; });
  }
  add_checks(tidy, table);
  add("error", [](const TidyRow& row) { return row.point->error; });
  return table;
}

Table constants_table(const TidyTable& tidy) {
  Names keys, values;
  for (const auto& [key, value] : tidy.constants) {
    keys.push_back(key);
    values.push_back(value);
  }
  return {.name = "constants", .columns = {{"setting", "", keys}, {"value", "", values}}};
}

Table summary_table(const TidyTable& tidy) {
  const std::vector<RepeatGroup> groups = repeat_groups(tidy);
  std::vector<Names> keys(tidy.keys.size());
  Names encodings, measures;
  std::vector<double> n, mean, sd, low, high;
  for (const RepeatGroup& group : groups)
    for (std::size_t m = 0; m < tidy.measures.size(); ++m) {
      const SampleMoments& of = group.moments[m];
      if (of.n == 0) continue;
      for (std::size_t k = 0; k < keys.size(); ++k)
        keys[k].push_back(group.rows.front()->point->param(tidy.keys[k]));
      encodings.push_back(group.rows.front()->encoding);
      measures.push_back(tidy.measures[m]);
      n.push_back(static_cast<double>(of.n));
      mean.push_back(of.mean);
      sd.push_back(of.deviation);
      const MeanInterval interval = mean_interval(of);
      low.push_back(interval.low);
      high.push_back(interval.high);
    }
  Table table{.name = "summary"};
  for (std::size_t k = 0; k < keys.size(); ++k)
    table.columns.push_back({tidy.keys[k], "", std::move(keys[k])});
  if (tidy.has_encodings) table.columns.push_back({encoding_key, "", std::move(encodings)});
  table.columns.push_back({"measure", "", std::move(measures)});
  table.columns.push_back({"n", "", std::move(n)});
  table.columns.push_back({"mean", "", std::move(mean)});
  table.columns.push_back({"sd", "", std::move(sd)});
  table.columns.push_back({"ci95_low", "", std::move(low)});
  table.columns.push_back({"ci95_high", "", std::move(high)});
  return table;
}

}  // namespace orrery
