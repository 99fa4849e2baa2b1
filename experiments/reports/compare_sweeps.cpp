#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/errors.h"
#include "experiments/reports/compare.h"
#include "experiments/results/saved_result.h"

namespace orrery {
namespace {

using PointPair = SweepComparison::PointPair;
using Repeats = SweepComparison::Repeats;
using Summary = SweepComparison::Summary;

using Values = std::map<std::string, std::set<std::string>>;

/// The values of each setting at the finished points.
Values values_of(const SavedSweep& sweep) {
  Values values;
  for (const PointRecord& point : sweep.points)
    for (const auto& [key, value] : point.params)
      if (const std::string text = value; point.is_done() && !text.empty())
        values[key].insert(text);
  return values;
}

/// Keys with one value throughout A and another throughout B; "" where none has it.
std::vector<TextDifference> constant_differences(const SavedSweep& a, const SavedSweep& b) {
  Values in_a = values_of(a), in_b = values_of(b);
  for (const auto& [key, values] : in_a) in_b.try_emplace(key);
  std::vector<TextDifference> found;
  const auto only = [](const auto& values) {
    return values.empty() ? std::string() : *values.begin();
  };
  for (const auto& [key, of_b] : in_b)
    if (const auto& of_a = in_a[key]; of_a.size() < 2 && of_b.size() < 2 && of_a != of_b)
      found.push_back({key, only(of_a), only(of_b)});
  return found;
}

/// The settings by which a point of A and one of B are matched.
class MatchedSettings {
 public:
  MatchedSettings(const SavedSweep& a, const SavedSweep& b) {
    left_out_.insert("seed");
    for (const TextDifference& one : constant_differences(a, b)) left_out_.insert(one.name);
  }

  std::string of(const PointRecord& point) const {
    std::string text;
    for (const auto& [key, value] :
         std::map<std::string, std::string>(point.params.begin(), point.params.end()))
      if (!left_out_.contains(key)) text += key + "=" + value + "\n";
    return text;
  }

 private:
  std::set<std::string> left_out_{};
};

/// Whether all files with numbers (all listed files but pictures) have the same bytes.
bool same_files(const SavedFolder& a, const SavedFolder& b) {
  const auto numbers = [](const SavedFolder& saved) {
    std::map<std::string, std::string> hashes;
    for (const WrittenFile& file : saved.files())
      if (file.path.ends_with(".json") || file.path.ends_with(".npy") ||
          file.path.ends_with(".csv"))
        hashes[file.path] = file.sha256;
    return hashes;
  };
  return numbers(a) == numbers(b);
}

/// Why a point cannot be read, after "A: "; nothing where it can.
void add_damage(const char* side, const PointRecord& point, std::vector<std::string>& messages) {
  try {
    const SavedFolder saved(point.folder);
    const std::vector<std::string> damages = saved.damages();
    if (damages.empty()) load_result(saved);
    for (const std::string& damage : damages)
      messages.push_back(fmt::format("{}: point {}: {}", side, point_name(point), damage));
  } catch (const Error& error) {
    messages.push_back(fmt::format("{}: point {}: {}", side, point_name(point), error.what()));
  }
}

/// Adds to `not_compared` why a point cannot be read.
PointPair compare_points(const PointRecord& a, const PointRecord& b, double tolerance,
                         std::vector<std::string>& not_compared) {
  PointPair found{.label = a.label.empty() ? a.id : a.label,
                  .label_b = b.label == a.label ? "" : b.label,
                  .id_a = a.id,
                  .id_b = b.id,
                  .status_a = a.status,
                  .status_b = b.status};
  if (!a.is_done() || !b.is_done()) return found;
  try {
    const SavedFolder saved_a(a.folder), saved_b(b.folder);
    if (same_files(saved_a, saved_b) && saved_a.damages().empty() && saved_b.damages().empty())
      return found;
    found.result = compare_results(load_result(saved_a), load_result(saved_b), tolerance);
  } catch (const Error& error) {
    const std::size_t before = not_compared.size();
    add_damage("A", a, not_compared);
    add_damage("B", b, not_compared);
    if (not_compared.size() == before)  // it could not be read, and now it can
      not_compared.push_back(fmt::format("point {}: {}", point_name(a), error.what()));
  }
  return found;
}

bool differs(const PointPair& pair) {
  return pair.status_a != pair.status_b || !pair.result.same_numbers();
}

/// The point of B for each of A, or null.
std::vector<const PointRecord*> partners(const SavedSweep& a, const SavedSweep& b,
                                         const MatchedSettings& settings) {
  std::map<std::string, const PointRecord*> by_id;
  std::map<std::pair<std::string, int>, std::vector<const PointRecord*>> by_settings;
  std::set<std::string> ids_of_a;
  for (const PointRecord& point : a.points) ids_of_a.insert(point.id);
  for (const PointRecord& point : b.points) {
    by_id[point.id] = &point;
    if (!ids_of_a.contains(point.id))
      by_settings[{settings.of(point), point.repeat}].push_back(&point);
  }
  std::vector<const PointRecord*> found;
  for (const PointRecord& point : a.points) {
    const auto same = by_id.find(point.id);
    auto& alike = by_settings[{settings.of(point), point.repeat}];
    if (same != by_id.end()) {
      found.push_back(same->second);
    } else if (alike.size() == 1) {  // with several candidates, none is a match
      found.push_back(alike.front());
      alike.clear();
    } else {
      found.push_back(nullptr);
    }
  }
  return found;
}

/// Values of each scalar in each setting, in the order of the points.
struct Groups {
  std::vector<std::string> order{};
  std::map<std::string, std::vector<const PointRecord*>> points{};
};

Groups groups_of(const SavedSweep& sweep, const MatchedSettings& settings) {
  Groups groups;
  for (const PointRecord& point : sweep.points) {
    if (!point.is_done()) continue;
    auto& group = groups.points[settings.of(point)];
    if (group.empty()) groups.order.push_back(settings.of(point));
    group.push_back(&point);
  }
  return groups;
}

/// The finite numbers of a scalar, by the seed of their point.
struct Numbers {
  std::vector<double> values{};
  std::vector<std::string> seeds{};
};

Numbers numbers_in(const std::vector<const PointRecord*>& points, const std::string& scalar) {
  Numbers numbers;
  for (const PointRecord* point : points) {
    const double value = point->scalar(scalar);
    if (!std::isfinite(value)) continue;
    numbers.values.push_back(value);
    numbers.seeds.push_back(point->param("seed"));
  }
  return numbers;
}

/// The swept values without the repeat.
std::string setting_label(const SavedSweep& sweep, const PointRecord& point) {
  std::string label;
  for (const std::string& key : sweep.swept)
    if (key != "seed" && !point.param(key).empty())
      label += fmt::format("{}{}={}", label.empty() ? "" : " ", key, point.param(key));
  return label.empty() ? "all points" : label;
}

/// Two groups of repeats; nothing where neither varies or one has too few.
std::optional<Repeats> compared(const std::string& setting, const std::string& scalar,
                                const Numbers& a, const Numbers& b) {
  Repeats one{.setting = setting,
              .scalar = scalar,
              .a = sample_moments(a.values),
              .b = sample_moments(b.values),
              .paired = a.seeds == b.seeds && !a.seeds.empty() && !a.seeds[0].empty()};
  const bool varies = one.a.deviation > 0.0 || one.b.deviation > 0.0;
  if (one.a.n < 2 || one.b.n < 2 || !varies || a.values == b.values) return std::nullopt;
  one.test = one.paired ? paired_test(a.values, b.values) : welch_test(one.a, one.b);
  return one;
}

std::vector<Repeats> compare_repeats(const SavedSweep& a, const SavedSweep& b,
                                     const MatchedSettings& settings) {
  const Groups in_a = groups_of(a, settings), in_b = groups_of(b, settings);
  std::vector<Repeats> found;
  for (const std::string& key : in_a.order) {
    const auto other = in_b.points.find(key);
    if (other == in_b.points.end()) continue;
    const auto& points = in_a.points.at(key);
    const std::string setting = setting_label(a, *points.front());
    for (const std::string& scalar : scalar_names(a.points))
      if (auto one = compared(setting, scalar, numbers_in(points, scalar),
                              numbers_in(other->second, scalar)))
        found.push_back(std::move(*one));
  }
  std::vector<double> p;
  for (const Repeats& one : found) p.push_back(one.test.p);
  const std::vector<double> corrected = holm_corrected(p);
  for (std::size_t i = 0; i < found.size(); ++i) found[i].p_holm = corrected[i];
  return found;
}

/// How many points each scalar differs at, and where the most.
std::vector<Summary> summary_of(const std::vector<PointPair>& differing, std::size_t matched) {
  std::vector<Summary> found;
  for (const PointPair& pair : differing)
    for (const NumberDifference& number : pair.result.scalars) {
      if (number.same()) continue;
      auto known = std::ranges::find_if(
          found, [&](const Summary& one) { return one.scalar == number.name; });
      if (known == found.end())
        known = found.insert(found.end(), {.scalar = number.name, .points = matched});
      ++known->differing;
      const double relative = number.relative();
      if (known->where.empty() || std::isnan(relative) || relative > known->largest) {
        known->largest = relative;
        known->where = pair.label;
      }
    }
  return found;
}

}  // namespace

SweepComparison compare_sweeps(const SavedSweep& a, const SavedSweep& b, double tolerance) {
  SweepComparison found{.settings = constant_differences(a, b)};
  if (a.experiment != b.experiment)
    found.settings.insert(found.settings.begin(), {"experiment", a.experiment, b.experiment});
  if (a.version != b.version)
    found.settings.push_back({"version", std::to_string(a.version), std::to_string(b.version)});
  if (a.seed != b.seed)
    found.settings.push_back({"seed of the sweep", std::to_string(a.seed), std::to_string(b.seed)});
  const MatchedSettings settings(a, b);
  const std::vector<const PointRecord*> others = partners(a, b, settings);
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    if (!others[i]) {
      found.only_a.push_back(point_name(a.points[i]));
      continue;
    }
    ++found.matched;
    if (!a.points[i].is_done() && !others[i]->is_done())
      found.without_result.push_back(point_name(a.points[i]));
    PointPair pair = compare_points(a.points[i], *others[i], tolerance, found.not_compared);
    if (differs(pair)) found.differing.push_back(std::move(pair));
  }
  for (const PointRecord& point : b.points)
    if (std::ranges::find(others, &point) == others.end())
      found.only_b.push_back(point_name(point));
  found.scalars = summary_of(found.differing, found.matched);
  found.repeats = compare_repeats(a, b, settings);
  return found;
}

}  // namespace orrery
