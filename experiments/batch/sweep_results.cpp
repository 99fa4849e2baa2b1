#include "experiments/batch/sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/errors.h"
#include "experiments/batch/csv.h"
#include "experiments/batch/json_fields.h"
#include "experiments/batch/result_json.h"
#include "experiments/batch/sweep_folder.h"
#include "experiments/data/file.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_result_bytes = std::uintmax_t{1} << 30;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const fs::path& path, const std::exception& error) {
  throw DataError(path.string(), fmt::format("is damaged ({})", error.what()),
                  "remove the point's folder and resume the sweep");
}

/// What result.json says by itself: figures and arrays are in other files, and left out.
void read_result(const fs::path& path, PointRow& row) try {
  Result result = result_from_json(
      Json::parse(read_file(path, max_result_bytes)), [](const auto&) { return std::nullopt; },
      [](const Array&) { return nullptr; });
  row.params = std::move(result.provenance.params);
  row.scalars = std::move(result.scalars);
  row.checks = std::move(result.checks);
} catch (const nlohmann::json::exception& error) {
  refuse(path, error);
} catch (const MalformedJson& error) {
  refuse(path, error);
}

PointRow row_of(const fs::path& sweep, const PlanPoint& point, const JournalState& state) {
  PointRow row{.point = &point, .status = "pending"};
  const auto entry = state.entries.find(point.id);
  if (entry == state.entries.end()) return row;
  if (entry->second.outcome == JournalEntry::Outcome::failed) {
    row.status = "failed";
    row.error = entry->second.error;
    return row;
  }
  row.status = "done";
  read_result(point_folder(sweep, point.id) / "result.json", row);
  return row;
}

Json json_number(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json check_json(const Check& check) {
  Json json{{"measured", json_number(check.measured)},
            {"relation", name_in(relation_names(), check.relation)},
            {"bound", json_number(check.bound)}};
  if (check.relation == Relation::equals) json["tolerance"] = json_number(check.tolerance);
  json["holds"] = check.holds();
  return json;
}

bool has_seed(const PlanPoint& point) {
  return point.params.has("seed") && point.params.is_used("seed");
}

Json row_json(const PointRow& row) {
  Json json{{"id", row.point->id},
            {"label", row.point->label},
            {"status", row.status},
            {"repeat", row.point->repeat}};
  if (has_seed(*row.point)) json["seed"] = row.point->params.integer("seed");
  if (!row.error.empty()) json["error"] = row.error;
  Json params = Json::object();
  for (const auto& [key, value] : row.params) params[key] = value;
  Json scalars = Json::object();
  for (const Scalar& scalar : row.scalars) scalars[scalar.name] = json_number(scalar.value);
  Json checks = Json::object();
  for (const Check& check : row.checks) checks[check.name] = check_json(check);
  json["params"] = std::move(params);
  json["scalars"] = std::move(scalars);
  json["checks"] = std::move(checks);
  return json;
}

/// Names in the order in which the rows bring them up.
template <class NamesOf>
std::vector<std::string> all_names(const std::vector<PointRow>& rows, NamesOf names_of) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const PointRow& row : rows)
    for (const std::string& name : names_of(row))
      if (known.insert(name).second) names.push_back(name);
  return names;
}

template <class Items>
std::vector<std::string> names_in(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

using TextOf = std::function<std::string(const PointRow&)>;
using NumberOf = std::function<double(const PointRow&)>;

Column text_column(const std::string& name, const std::vector<PointRow>& rows, const TextOf& of) {
  std::vector<std::string> values;
  for (const PointRow& row : rows) values.push_back(of(row));
  return {.name = name, .unit = {}, .values = std::move(values)};
}

Column number_column(const std::string& name, const std::vector<PointRow>& rows,
                     const NumberOf& of) {
  std::vector<double> values;
  for (const PointRow& row : rows) values.push_back(of(row));
  return {.name = name, .unit = {}, .values = std::move(values)};
}

template <class Item>
const Item* find_named(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

std::string param_of(const PointRow& row, const std::string& key) {
  for (const auto& [name, value] : row.params)
    if (name == key) return value;
  // A point without a result still has its settings.
  const ParamSet& params = row.point->params;
  return row.params.empty() && params.has(key) && params.is_stated(key) ? params.to_text(key) : "";
}

std::vector<std::string> param_keys(const Plan& plan, const std::vector<PointRow>& rows) {
  std::vector<std::string> keys = plan.swept;
  const auto used = [](const PointRow& row) {
    std::vector<std::string> names;
    for (const ParamSpec& spec : row.point->params.specs())
      if (row.point->params.is_stated(spec.key)) names.push_back(spec.key);
    return names;
  };
  for (const std::string& key : all_names(rows, used))
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

void add_scalars(const std::vector<PointRow>& rows, const std::vector<std::string>& params,
                 Table& table) {
  for (const std::string& name :
       all_names(rows, [](const PointRow& row) { return names_in(row.scalars); })) {
    const bool taken = std::find(params.begin(), params.end(), name) != params.end();
    table.columns.push_back(
        number_column(taken ? "scalar." + name : name, rows, [&](const PointRow& row) {
          const Scalar* scalar = find_named(row.scalars, name);
          return scalar ? scalar->value : nan;
        }));
  }
}

void add_checks(const std::vector<PointRow>& rows, Table& table) {
  for (const std::string& name :
       all_names(rows, [](const PointRow& row) { return names_in(row.checks); })) {
    table.columns.push_back(number_column("check." + name, rows, [&](const PointRow& row) {
      const Check* check = find_named(row.checks, name);
      return check ? check->measured : nan;
    }));
    table.columns.push_back(
        text_column("check." + name + ".holds", rows, [&](const PointRow& row) -> std::string {
          const Check* check = find_named(row.checks, name);
          return !check ? "" : check->holds() ? "true" : "false";
        }));
  }
}

}  // namespace

std::vector<PointRow> point_rows(const fs::path& sweep, const Plan& plan,
                                 const JournalState& state) {
  std::vector<PointRow> rows;
  for (const PlanPoint* point : plan.own_points()) rows.push_back(row_of(sweep, *point, state));
  return rows;
}

std::string results_jsonl(const std::vector<PointRow>& rows) {
  std::string text;
  for (const PointRow& row : rows)
    text += row_json(row).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return text;
}

std::string results_csv(const Plan& plan, const std::vector<PointRow>& rows) {
  Table table{.name = "results"};
  table.columns.push_back(text_column("id", rows, [](const auto& r) { return r.point->id; }));
  table.columns.push_back(text_column("status", rows, [](const auto& r) { return r.status; }));
  table.columns.push_back(number_column(
      "repeat", rows, [](const auto& r) { return static_cast<double>(r.point->repeat); }));
  const std::vector<std::string> params = param_keys(plan, rows);
  for (const std::string& key : params)
    table.columns.push_back(
        text_column(key, rows, [&](const PointRow& row) { return param_of(row, key); }));
  add_scalars(rows, params, table);
  add_checks(rows, table);
  table.columns.push_back(text_column("error", rows, [](const auto& r) { return r.error; }));
  return csv_text(table);
}

}  // namespace orrery
