#include "experiments/reports/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.h"
#include "experiments/results/figure_table.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

using CheckPair = ResultComparison::CheckPair;
using Data = ResultComparison::Data;
using PointPair = SweepComparison::PointPair;
using Repeats = SweepComparison::Repeats;
using Summary = SweepComparison::Summary;

/// An integer in the order of the doubles, the same for −0 and 0.
std::int64_t rank(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

template <class Item>
const Item* named(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::ranges::find_if(items, [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

/// Calls `both(x, y)` for items with the same name; notes the others as "KIND NAME".
template <class Item, class Both>
void pair_up(const std::vector<Item>& a, const std::vector<Item>& b, std::string_view kind,
             ResultComparison& found, Both both) {
  for (const Item& item : a) {
    const Item* other = named(b, item.name);
    if (other)
      both(item, *other);
    else
      found.only_a.push_back(fmt::format("{} {}", kind, item.name));
  }
  for (const Item& item : b)
    if (!named(a, item.name)) found.only_b.push_back(fmt::format("{} {}", kind, item.name));
}

std::vector<TextDifference> compare_settings(const Provenance& a, const Provenance& b) {
  std::vector<TextDifference> found;
  if (a.experiment != b.experiment) found.push_back({"experiment", a.experiment, b.experiment});
  if (a.version != b.version)
    found.push_back({"version", std::to_string(a.version), std::to_string(b.version)});
  const std::vector<TextDifference> params =
      text_differences({a.params.begin(), a.params.end()}, {b.params.begin(), b.params.end()});
  found.insert(found.end(), params.begin(), params.end());
  return found;
}

/// The differences between two lists of equal length, element by element.
template <class A, class B>
Data compare_numbers(std::string name, std::size_t count, const A& a, const B& b,
                     double tolerance) {
  Data found{.name = std::move(name), .numbers = count};
  for (std::size_t i = 0; i < count; ++i) {
    const double x = a(i), y = b(i);
    if (relative_difference(x, y) <= tolerance) continue;
    ++found.differing;
    const double distance = std::abs(y - x);
    if (std::isnan(distance) || distance > found.largest) found.largest = distance;
    if (std::isnan(distance)) break;
  }
  return found;
}

void keep(Data difference, std::vector<Data>& found) {
  if (difference.differing > 0 || !difference.other.empty()) found.push_back(std::move(difference));
}

void compare_columns(const std::string& table, const Column& a, const Column& b, double tolerance,
                     std::vector<Data>& found) {
  const std::string name = fmt::format("{}: {}", table, a.name);
  const auto length = [](const Column& column) {
    return std::visit([](const auto& values) { return values.size(); }, column.values);
  };
  if (a.values.index() != b.values.index())
    return keep({.name = name, .other = "numbers in one, text in the other"}, found);
  if (length(a) != length(b))
    return keep({.name = name, .other = fmt::format("{} rows, {} rows", length(a), length(b))},
                found);
  if (const auto* numbers = std::get_if<std::vector<double>>(&a.values)) {
    const auto& others = std::get<std::vector<double>>(b.values);
    return keep(compare_numbers(
                    name, numbers->size(), [&](std::size_t i) { return (*numbers)[i]; },
                    [&](std::size_t i) { return others[i]; }, tolerance),
                found);
  }
  if (a.values != b.values) keep({.name = name, .other = "different text"}, found);
}

void compare_tables(const std::string& below, const Table& a, const Table& b, double tolerance,
                    ResultComparison& found) {
  const std::string name = fmt::format("{}/{}", below, a.name);
  pair_up(a.columns, b.columns, fmt::format("column of {}:", name), found,
          [&](const Column& x, const Column& y) {
            compare_columns(name, x, y, tolerance, found.data);
          });
}

std::string shape_text(const Array& array) {
  return fmt::format(
      "[{}] of {}", fmt::join(array.shape, ", "),
      std::holds_alternative<std::vector<float>>(array.values) ? "float32" : "float64");
}

void compare_arrays(const Array& a, const Array& b, double tolerance, ResultComparison& found) {
  const std::string name = "arrays/" + a.name;
  if (shape_text(a) != shape_text(b))
    return keep({.name = name, .other = shape_text(a) + ", " + shape_text(b)}, found.data);
  keep(compare_numbers(
           name, a.size(), [&](std::size_t i) { return a[i]; }, [&](std::size_t i) { return b[i]; },
           tolerance),
       found.data);
}

std::vector<Array> values_of(const std::vector<std::shared_ptr<const Array>>& arrays) {
  std::vector<Array> values;
  for (const auto& array : arrays) values.push_back(*array);
  return values;
}

std::vector<Table> tables_of(const std::vector<Figure>& figures) {
  std::vector<Table> tables;
  for (const Figure& figure : figures) {
    const auto* map = std::get_if<Heatmap>(&figure.content);
    if (map && !map->values) continue;
    tables.push_back(table_of(figure));
  }
  return tables;
}

bool same_holds(const CheckPair& check) {
  return check.holds_a == check.holds_b && check.measured.same();
}

using Texts = std::map<std::string, std::string>;

Texts program_of(const nlohmann::ordered_json& manifest) {
  Texts texts;
  if (!manifest.is_object() || !manifest.contains("program")) return texts;
  for (const auto& item : manifest["program"].items())
    texts[item.key()] =
        item.value().is_string() ? item.value().get<std::string>() : item.value().dump();
  return texts;
}

/// SHA-256 by parameter.
Texts inputs_of(const nlohmann::ordered_json& manifest) {
  Texts hashes;
  if (manifest.contains("inputs") && manifest["inputs"].is_array())
    for (const auto& input : manifest["inputs"])
      if (input.is_object()) hashes[input.value("key", "")] = input.value("sha256", "");
  return hashes;
}

/// load_sweep, but throws DataError for the first problem.
SavedSweep load_whole_sweep(const std::filesystem::path& folder) {
  SavedSweep sweep = load_sweep(folder);
  if (!sweep.problems.empty())
    throw DataError(fmt::format("{}", fmt::join(sweep.problems, "; ")),
                    "so the sweep is incomplete",
                    "orrery resume completes it, orrery report shows the rest");
  return sweep;
}

}  // namespace

std::uint64_t ulp_distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<std::uint64_t>::max();
  const std::int64_t x = rank(a), y = rank(b);
  return x < y ? static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x)
               : static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
}

double relative_difference(double a, double b) {
  if (ulp_distance(a, b) == 0) return 0.0;
  return std::abs(b - a) / std::max(std::abs(a), std::abs(b));
}

std::vector<TextDifference> text_differences(const std::map<std::string, std::string>& a,
                                             const std::map<std::string, std::string>& b) {
  std::map<std::string, TextDifference> all;
  for (const auto& [name, value] : a) all[name].a = value;
  for (const auto& [name, value] : b) all[name].b = value;
  std::vector<TextDifference> found;
  for (const auto& [name, one] : all)
    if (one.a != one.b) found.push_back({name, one.a, one.b});
  return found;
}

void SweepComparison::keep_scalars(const std::string& part) {
  const auto is_other = [&](const auto& one) { return one.find(part) == std::string::npos; };
  std::erase_if(scalars, [&](const Summary& one) { return is_other(one.scalar); });
  std::erase_if(repeats, [&](const Repeats& one) { return is_other(one.scalar); });
  for (PointPair& point : differing)
    std::erase_if(point.result.scalars,
                  [&](const NumberDifference& one) { return is_other(one.name); });
}

bool ResultComparison::same_numbers() const {
  return checks.empty() && data.empty() && only_a.empty() && only_b.empty() &&
         std::ranges::all_of(scalars, &NumberDifference::same);
}

ResultComparison compare_results(const Result& a, const Result& b, double tolerance) {
  ResultComparison found{.settings = compare_settings(a.provenance, b.provenance)};
  pair_up(a.scalars, b.scalars, "scalar", found, [&](const Scalar& x, const Scalar& y) {
    found.scalars.push_back({x.name, x.value, y.value, tolerance});
  });
  pair_up(a.checks, b.checks, "check", found, [&](const Check& x, const Check& y) {
    CheckPair check{x.name, {x.name, x.measured, y.measured, tolerance}, x.holds(), y.holds()};
    if (!same_holds(check)) found.checks.push_back(std::move(check));
  });
  pair_up(a.tables, b.tables, "table", found, [&](const Table& x, const Table& y) {
    compare_tables("tables", x, y, tolerance, found);
  });
  pair_up(values_of(a.arrays), values_of(b.arrays), "array", found,
          [&](const Array& x, const Array& y) { compare_arrays(x, y, tolerance, found); });
  pair_up(
      tables_of(a.figures), tables_of(b.figures), "figure", found,
      [&](const Table& x, const Table& y) { compare_tables("figures", x, y, tolerance, found); });
  return found;
}

Comparison compare_folders(const std::filesystem::path& a, const std::filesystem::path& b,
                           double tolerance) {
  Comparison found{.sweeps = is_sweep_folder(a), .tolerance = tolerance};
  if (found.sweeps != is_sweep_folder(b))
    throw UsageError(fmt::format("{} and {}", a.string(), b.string()),
                     "are not of the same kind: one is a result, the other a sweep",
                     "compare a point of the sweep: DIR/points/ID");
  if (found.sweeps) {
    const SavedSweep in_a = load_whole_sweep(a);
    const SavedSweep in_b = load_whole_sweep(b);
    found.program = text_differences(program_of(in_a.manifest), program_of(in_b.manifest));
    found.sweep = compare_sweeps(in_a, in_b, tolerance);
    return found;
  }
  const SavedFolder in_a(a), in_b(b);
  found.program = text_differences(program_of(in_a.manifest()), program_of(in_b.manifest()));
  found.inputs = text_differences(inputs_of(in_a.manifest()), inputs_of(in_b.manifest()));
  found.result = compare_results(load_result(in_a), load_result(in_b), tolerance);
  return found;
}

}  // namespace orrery
