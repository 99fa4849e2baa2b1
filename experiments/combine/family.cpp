#include "experiments/combine/family.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "experiments/combine/combine.h"
#include "experiments/combine/parts.h"
#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

// Dashes tell apart up to three.
constexpr std::size_t most_dashes = 3;

/// A figure with the result that it is of.
struct Member {
  const Result* result{};
  const Figure* figure{};
};
using Members = std::vector<Member>;

std::string value_of(const Result& result, const std::string& key) {
  for (const auto& [name, value] : result.provenance.params)
    if (name == key) return value;
  return {};
}

/// The results that have the figure, ordered by the setting's value, one for each value.
Members members_of(const Results& results, const std::string& figure, const std::string& key) {
  std::map<double, Member> members;
  for (const auto& result : results) {
    const auto found = std::ranges::find(result->figures, figure, &Figure::id);
    const std::optional<double> value = number_in(value_of(*result, key));
    if (found != result->figures.end() && value) members[*value] = {result.get(), &*found};
  }
  Members in_order;
  for (const auto& [value, member] : members) in_order.push_back(member);
  return in_order;
}

template <class Content>
bool all_have(const Members& members) {
  return std::ranges::all_of(members, [](const Member& member) {
    return std::holds_alternative<Content>(member.figure->content);
  });
}

bool same_curves(const Figure& a, const Figure& b) {
  const auto &x = std::get<LinePlot>(a.content).series, &y = std::get<LinePlot>(b.content).series;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Series& one, const Series& other) {
                      return one.name == other.name && same_numbers(one.x, other.x) &&
                             same_numbers(one.y, other.y);
                    });
}

/// The points as a sweep that was not saved.
SavedSweep sweep_of(const Members& members, const std::string& key) {
  const Provenance& first = members.front().result->provenance;
  SavedSweep sweep{
      .experiment = first.experiment, .version = first.version, .seed = first.seed, .swept = {key}};
  for (const Member& member : members)
    sweep.points.push_back({.id = value_of(*member.result, key),
                            .label = key + "=" + value_of(*member.result, key),
                            .status = PointStatus::done,
                            .params = member.result->provenance.params});
  return sweep;
}

std::size_t encodings_in(const Members& members) {
  std::set<std::string> labels;
  for (const EncodingSummary& encoding : encoding_list())
    for (const Member& member : members)
      for (const Series& series : std::get<LinePlot>(member.figure->content).series)
        if (series.name == encoding.label) labels.insert(series.name);
  return labels.size();
}

std::vector<Figure> curves(const Members& members, const std::string& key) {
  const Figure& first = *members.front().figure;
  const bool same = std::ranges::all_of(
      members, [&](const Member& member) { return same_curves(first, *member.figure); });
  if (same) return {};
  PlotRequest request{.figure = first.id, .hue = key};
  const std::size_t encodings = encodings_in(members);
  if (encodings > 1 && encodings <= most_dashes) request.dash = encoding_key;
  std::vector<Figure> figures;
  const SavedSweep sweep = sweep_of(members, key);
  for (Panels& page : overlay(sweep, request, [&](const PointRecord& point) {
         const auto place = static_cast<std::size_t>(&point - sweep.points.data());
         return std::optional(*members[place].figure);
       }))
    for (Figure& figure : figures_of(std::move(page))) figures.push_back(std::move(figure));
  for (Figure& figure : figures) figure.role = first.role;
  return figures;
}

/// Each map named by its value; the colours are those of all.
std::vector<Figure> maps(const Members& members, const std::string& key) {
  std::optional<Range> range;
  for (const Member& member : members) {
    const auto& map = std::get<Heatmap>(member.figure->content);
    const Range own = map.range ? *map.range : value_range(*map.values, map.masked.get());
    range = range ? Range{std::min(range->min, own.min), std::max(range->max, own.max)} : own;
  }
  std::vector<Figure> figures;
  for (const Member& member : members) {
    Figure& figure = figures.emplace_back(*member.figure);
    figure.title = as_marked(value_name({.key = key}, value_of(*member.result, key)));
    figure.id += "_" + std::to_string(figures.size());
    std::get<Heatmap>(figure.content).range = range;
  }
  return figures;
}

}  // namespace

std::vector<Figure> family(const Results& results, const std::string& figure,
                           const std::string& key) {
  const Members members = members_of(results, figure, key);
  if (members.size() < 2) return {};
  if (all_have<LinePlot>(members)) return curves(members, key);
  if (all_have<Heatmap>(members)) return maps(members, key);
  return {};
}

}  // namespace orrery
