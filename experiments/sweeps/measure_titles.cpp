#include "experiments/sweeps/measure_titles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <variant>

#include "experiments/setup/encoding_summary.h"
#include "experiments/sweeps/tidy_table.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view check_prefix = "check.";

/// "mean logit" of "RoPE (untrained table): mean logit; not checked: …".
std::string title_in(const std::string& description, const std::string& encoding) {
  std::string title = description.substr(0, description.find("; "));
  if (encoding.empty() || !title.starts_with(label_of_encoding(encoding))) return title;
  const std::size_t colon = title.find(": ");
  return colon == std::string::npos ? title : title.substr(colon + 2);
}

/// Collects titles in the order of their names' first appearance.
class Titles {
 public:
  /// @param has_number  otherwise the text may say why there is none, and counts only if all do
  void add(MeasureTitle one, bool has_number) {
    if (one.title.empty()) one.title = words_of(one.name);
    const auto [known, fresh] = places_.emplace(one.name, all_.size());
    if (fresh) {
      all_.push_back({std::move(one), has_number});
      return;
    }
    Entry& before = all_[known->second];
    if (before.has_number && !has_number) return;
    if (has_number && !before.has_number)
      before = {std::move(one), true};
    else
      before.title = common(before.title, one);
  }

  std::vector<MeasureTitle> take() {
    std::vector<MeasureTitle> titles;
    for (Entry& entry : all_) titles.push_back(std::move(entry.title));
    return titles;
  }

 private:
  struct Entry {
    MeasureTitle title{};
    bool has_number{};
  };

  static MeasureTitle common(MeasureTitle a, const MeasureTitle& b) {
    if (a.title != b.title) a.title = words_of(a.name);
    if (a.symbol != b.symbol) a.symbol.clear();
    if (a.unit != b.unit) a.unit.clear();
    return a;
  }

  std::vector<Entry> all_{};
  std::map<std::string, std::size_t> places_{};
};

const Words& words_in(const Table& table, std::size_t column) {
  return std::get<Words>(table.columns.at(column).values);
}

}  // namespace

std::string words_of(std::string_view name) {
  if (name.starts_with(check_prefix)) name.remove_prefix(check_prefix.size());
  return spaced(std::string(name));
}

std::vector<MeasureTitle> measure_titles(const std::vector<PointRecord>& points) {
  Titles titles;
  for (const PointRecord& point : points)
    for (const Scalar& scalar : point.scalars) {
      const MeasureName name = measure_name(scalar.name);
      titles.add(
          {name.measure, title_in(scalar.description, name.encoding), scalar.symbol, scalar.unit},
          !std::isnan(scalar.value));
    }
  for (const PointRecord& point : points)
    for (const Check& check : point.checks) {
      const MeasureName name = measure_name(check.name);
      titles.add({std::string(check_prefix) + name.measure,
                  title_in(check.statement, name.encoding), "", ""},
                 !std::isnan(check.measured));
    }
  return titles.take();
}

Table empty_measures_table() {
  return {.name = "measures",
          .columns = {{"name", "", Words{}},
                      {"title", "", Words{}},
                      {"symbol", "", Words{}},
                      {"unit", "", Words{}}}};
}

Table measures_table(const std::vector<MeasureTitle>& titles) {
  Table table = empty_measures_table();
  for (const MeasureTitle& one : titles) {
    const std::string* cells[] = {&one.name, &one.title, &one.symbol, &one.unit};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      std::get<Words>(table.columns[i].values).push_back(*cells[i]);
  }
  return table;
}

std::vector<MeasureTitle> titles_in(const Table& table) {
  std::vector<MeasureTitle> titles;
  for (std::size_t i = 0; i < words_in(table, 0).size(); ++i)
    titles.push_back({words_in(table, 0)[i], words_in(table, 1)[i], words_in(table, 2)[i],
                      words_in(table, 3)[i]});
  return titles;
}

MeasureTitle title_of(const std::vector<MeasureTitle>& titles, std::string_view name) {
  const auto found = std::find_if(titles.begin(), titles.end(),
                                  [&](const MeasureTitle& one) { return one.name == name; });
  if (found != titles.end()) return *found;
  return {.name = std::string(name), .title = words_of(name)};
}

std::string check_title(const std::vector<MeasureTitle>& titles, const std::string& check) {
  const MeasureName name = measure_name(check);
  std::string title = title_of(titles, std::string(check_prefix) + name.measure).title;
  if (name.encoding.empty()) return title;
  return fmt::format("{}: {}", label_of_encoding(name.encoding), title);
}

}  // namespace orrery
