#include "experiments/sweeps/sweep_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/errors.h"
#include "experiments/files/memory_limit.h"
#include "experiments/sweeps/assignments.h"

namespace orrery {
namespace {

using ValueAxis = SweepSpec::Axis;
/// Axes that advance together; most groups have one.
using Group = std::vector<const ValueAxis*>;

void require_distinct(const ValueAxis& axis) {
  std::set<std::string> seen;
  for (const std::string& value : axis.values)
    if (!seen.insert(value).second)
      throw UsageError(fmt::format("{}={}", axis.key, fmt::join(axis.values, ",")),
                       fmt::format("contains {} twice", value), "list each value once");
}

Group zipped(const SweepSpec& spec, const std::vector<std::string>& keys) {
  Group group;
  for (const std::string& key : keys) {
    const ValueAxis* axis = axis_of(spec, key);
    if (!axis)
      throw UsageError(key, "is zipped but has no values",
                       fmt::format("give {}=a,b or take it out of zip", key));
    if (!group.empty() && axis->values.size() != group.front()->values.size())
      throw UsageError(
          fmt::format("zip of {}", fmt::join(keys, ", ")),
          fmt::format("pairs {} values of {} with {} of {}", group.front()->values.size(),
                      group.front()->key, axis->values.size(), key),
          "give both the same number of values");
    group.push_back(axis);
  }
  return group;
}

/// Groups in the order of the axes; a zipped group takes the place of its first key.
std::vector<Group> groups_of(const SweepSpec& spec) {
  std::map<std::string, Group> group_of;
  for (const auto& keys : spec.zips) {
    const Group group = zipped(spec, keys);
    for (const ValueAxis* axis : group)
      if (!group_of.emplace(axis->key, group).second)
        throw UsageError(axis->key, "is zipped twice", "name it in one zip");
  }
  std::vector<Group> groups;
  std::set<std::string> placed;
  for (const ValueAxis& axis : spec.axes) {
    if (placed.contains(axis.key)) continue;
    const auto found = group_of.find(axis.key);
    groups.push_back(found == group_of.end() ? Group{&axis} : found->second);
    for (const ValueAxis* member : groups.back()) placed.insert(member->key);
  }
  return groups;
}

/// The combination with value `at[g]` of each group g.
Combination combination(const ParamSet& defaults, const std::vector<Group>& groups,
                        const std::vector<std::size_t>& at) {
  Combination made{defaults, {}};
  std::vector<std::pair<const ValueAxis*, std::string>> set;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const ValueAxis* axis : groups[g]) {
      made.params.set(axis->key, axis->values[at[g]]);
      set.emplace_back(axis, axis->values[at[g]]);
    }
  for (const auto& [axis, value] : set) {
    if (!made.params.is_used(axis->key))
      made.params.reset(axis->key);
    else if (axis->values.size() > 1)
      made.swept.emplace_back(axis->key, made.params.to_text(axis->key));
  }
  return made;
}

/// Advances like an odometer, the last group fastest. Returns false after the last combination.
bool advance(std::vector<std::size_t>& at, const std::vector<Group>& groups) {
  for (std::size_t g = groups.size(); g-- > 0;) {
    if (++at[g] < groups[g].front()->values.size()) return true;
    at[g] = 0;
  }
  return false;
}

std::size_t crossed_count(const std::vector<Group>& groups) {
  constexpr std::size_t max_points = 1'000'000;
  std::size_t crossed = 1;
  for (const Group& group : groups) {
    crossed *= group.front()->values.size();
    if (crossed > max_points)
      throw UsageError("this sweep", "has more than a million combinations",
                       "take fewer values or zip some keys");
  }
  return crossed;
}

/// Throws IoError where there may not be so much memory.
PlanCost cost_of(const SweepSpec& spec, std::size_t crossed) {
  constexpr double bytes_per_point = 1100, seconds_per_param = 4e-7;
  const std::size_t points = crossed * static_cast<std::size_t>(spec.repeats);
  const auto params = static_cast<double>(spec.experiment->info.params.size());
  const PlanCost cost{.points = points,
                      .bytes = static_cast<double>(points) * bytes_per_point,
                      .seconds = static_cast<double>(points) * params * seconds_per_param};
  require_memory(cost.bytes, fmt::format("a plan of up to {} points", points),
                 "take fewer values or fewer repeats");
  return cost;
}

void require_read_somewhere(const SweepSpec& spec, const std::vector<Combination>& points) {
  for (const ValueAxis& axis : spec.axes) {
    const auto reads = [&](const Combination& c) { return c.params.is_used(axis.key); };
    if (std::any_of(points.begin(), points.end(), reads)) continue;
    // ParamSet explains best why it is not read.
    ParamSet alone = points.front().params;
    alone.set(axis.key, axis.values.front());
    alone.require_all_set_are_used();
  }
}

}  // namespace

const ValueAxis* axis_of(const SweepSpec& spec, std::string_view key) {
  const auto found = std::find_if(spec.axes.begin(), spec.axes.end(),
                                  [&](const ValueAxis& axis) { return axis.key == key; });
  return found == spec.axes.end() ? nullptr : &*found;
}

void put_axis(SweepSpec& spec, ValueAxis axis) {
  const ValueAxis* before = axis_of(spec, axis.key);
  if (before && axis.values.size() == 1 && !before->draw) {
    spec.axes[static_cast<std::size_t>(before - spec.axes.data())] = std::move(axis);
    return;
  }
  std::erase_if(spec.axes, [&](const ValueAxis& other) { return other.key == axis.key; });
  spec.axes.push_back(std::move(axis));
}

void apply_words(SweepSpec& spec, const std::vector<std::string>& words) {
  const ParamSet defaults(spec.experiment->info.params);
  ExpandedWords expanded = expand_model_words(spec.experiment->info.params, words);
  for (const auto& [key, text] : parse_assignments(defaults, expanded.words))
    put_axis(spec, read_axis(defaults.spec(key), text));
  if (expanded.zip.size() > 1) spec.zips.push_back(std::move(expanded.zip));
  spec.notes = std::move(expanded.notes);
}

void add_zip(SweepSpec& spec, std::string_view keys) {
  const ParamSet defaults(spec.experiment->info.params);
  std::vector<std::string> group;
  for (std::size_t start = 0; start <= keys.size();) {
    const std::size_t comma = std::min(keys.find(',', start), keys.size());
    group.emplace_back(keys.substr(start, comma - start));
    defaults.spec(group.back());
    start = comma + 1;
  }
  if (group.size() < 2)
    throw UsageError(fmt::format("{}", keys), "names a single key to zip",
                     "write it like --zip dim,base");
  spec.zips.push_back(std::move(group));
}

PlanCost plan_cost(const SweepSpec& asked) {
  const SweepSpec spec = with_draws(asked);
  return cost_of(spec, crossed_count(groups_of(spec)));
}

Combinations combinations_of(const SweepSpec& asked) {
  const SweepSpec spec = with_draws(asked);
  const ParamSet defaults(spec.experiment->info.params);
  const std::vector<Group> groups = groups_of(spec);
  for (const Group& group : groups)  // of zipped axes one may repeat what another tells apart
    if (group.size() == 1 && !group.front()->draw) require_distinct(*group.front());
  const std::size_t crossed = crossed_count(groups);
  cost_of(spec, crossed);
  Combinations all{{}, crossed};
  std::set<std::vector<std::string>> known;
  std::vector<std::size_t> at(groups.size(), 0);
  do {
    Combination next = combination(defaults, groups, at);
    if (known.insert(next.params.overrides()).second) all.points.push_back(std::move(next));
  } while (advance(at, groups));
  require_read_somewhere(spec, all.points);
  return all;
}

}  // namespace orrery
