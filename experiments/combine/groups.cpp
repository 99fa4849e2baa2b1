#include "experiments/combine/groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "experiments/statistics/welch.h"

namespace orrery {
namespace {

constexpr double no_interval = std::numeric_limits<double>::quiet_NaN();

Setting look_of(const Setting& setting, const Arrangement& arrangement, bool reads_x) {
  Setting look;
  for (const auto* part : {&arrangement.hue, &arrangement.dash})
    if (*part && setting.contains((*part)->key)) look[(*part)->key] = setting.at((*part)->key);
  const bool lacks_hue = arrangement.hue && !look.contains(arrangement.hue->key);
  if ((lacks_hue || !reads_x) && setting.contains(encoding_key))
    look[encoding_key] = setting.at(encoding_key);
  return look;
}

std::size_t hue_place(const Group& group, const Arrangement& arrangement) {
  if (!arrangement.hue) return 0;
  const auto& values = arrangement.hue->values;
  const auto found = group.look.find(arrangement.hue->key);
  if (found == group.look.end()) return values.size();
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), found->second) -
                                  values.begin());
}

}  // namespace

std::vector<Group> groups_at(const Place& place, const std::vector<Setting>& settings,
                             const Arrangement& arrangement, const std::string& x) {
  std::vector<Group> groups;
  std::map<Setting, std::size_t> known;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!belongs(settings[i], place)) continue;
    const Setting look = look_of(settings[i], arrangement, x.empty() || settings[i].contains(x));
    const auto [found, fresh] = known.emplace(look, groups.size());
    if (fresh) groups.push_back({.look = look});
    groups[found->second].members.push_back(i);
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return hue_place(a, arrangement) < hue_place(b, arrangement);
  });
  return groups;
}

Spread spread_of(const std::vector<double>& values, Band band) {
  std::vector<double> finite;
  for (const double value : values)
    if (std::isfinite(value)) finite.push_back(value);
  const SampleMoments moments = sample_moments(finite);
  Spread spread{moments.mean, no_interval, no_interval};
  if (finite.size() < 2 || band == Band::none) return spread;
  if (band == Band::range) {
    const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
    return {moments.mean, *low, *high};
  }
  if (band == Band::deviation)
    return {moments.mean, moments.mean - moments.deviation, moments.mean + moments.deviation};
  const MeanInterval interval = mean_interval(moments);
  return {moments.mean, interval.low, interval.high};
}

}  // namespace orrery
