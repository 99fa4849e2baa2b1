#include "experiments/combine/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "experiments/figure/plot/axis_map.h"
#include "experiments/statistics/welch.h"

namespace orrery {
namespace {

constexpr double no_quantile = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<double, 5> shown{0.5, 0.25, 0.75, 0.05, 0.95};
using Quantiles = std::array<double, shown.size()>;

/// Numbers of one step, and where it is drawn.
struct Step {
  double at{};  ///< mean of its places
  std::vector<std::vector<double>> places{};
};

Quantiles quantiles_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::ranges::sort(values);
  Quantiles found{};
  for (std::size_t i = 0; i < shown.size(); ++i) found[i] = quantile(values, shown[i]);
  return found;
}

/// Places with numbers enough have quantiles of their own, and the step has their mean: how the
/// numbers change from place to place does not widen the bands. Others are one sample.
Quantiles quantiles_of(const Step& step) {
  constexpr std::size_t enough = 20;
  const auto has_enough = [](const std::vector<double>& place) { return place.size() >= enough; };
  if (!std::ranges::all_of(step.places, has_enough)) {
    std::vector<double> all;
    for (const std::vector<double>& place : step.places)
      all.insert(all.end(), place.begin(), place.end());
    return quantiles_of(std::move(all));
  }
  Quantiles mean{};
  for (const std::vector<double>& place : step.places) {
    const Quantiles of_place = quantiles_of(place);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += of_place[i] / static_cast<double>(step.places.size());
  }
  return mean;
}

double along(double x, AxisScale scale) {
  if (scale == AxisScale::symlog) return std::copysign(std::log1p(std::abs(x)), x);
  return is_log(scale) ? std::log(x) : x;
}

std::vector<Step> steps_of(const NumbersOver& numbers, AxisScale scale) {
  std::vector<Step> steps;
  if (numbers.empty()) return steps;
  const double low = along(numbers.begin()->first, scale),
               high = along(numbers.rbegin()->first, scale);
  const bool joined = numbers.size() > most_places && std::isfinite(high - low) && high > low;
  std::size_t last = 0;
  for (const auto& [x, values] : numbers) {
    const double share = joined ? (along(x, scale) - low) / (high - low) : 0.0;
    const auto step = std::min(static_cast<std::size_t>(share * most_places), most_places - 1);
    if (!joined || steps.empty() || step != last) steps.emplace_back();
    last = step;
    Step& now = steps.back();
    now.places.push_back(values);
    now.at += (x - now.at) / static_cast<double>(now.places.size());
  }
  return steps;
}

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
  return static_cast<std::size_t>(std::ranges::find(values, found->second) - values.begin());
}

}  // namespace

double quantile(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return no_quantile;
  const double place = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double low = ascending[below], high = ascending[above];
  return low == high ? low : std::lerp(low, high, place - static_cast<double>(below));
}

void add_bands(const NumbersOver& numbers, const Series& look, LinePlot& plot) {
  Series median{.name = look.name.empty() ? "median" : look.name,
                .style = look.style,
                .color = look.color,
                .shade = look.shade,
                .label = look.label};
  Series wide = median;
  wide.name += ", 5 % to 95 %";
  wide.part_of = median.name;
  for (const Step& step : steps_of(numbers, plot.x.scale)) {
    const auto [middle, low, high, lowest, highest] = quantiles_of(step);
    median.x.push_back(step.at);
    median.y.push_back(middle);
    median.band_low.push_back(low);
    median.band_high.push_back(high);
    wide.band_low.push_back(lowest);
    wide.band_high.push_back(highest);
  }
  wide.x = median.x;
  wide.y.assign(wide.x.size(), no_quantile);
  plot.series.push_back(std::move(median));
  plot.series.push_back(std::move(wide));
}

std::string steps_text(std::size_t places, const std::string& x) {
  return places > most_places ? fmt::format(", in {} steps of {}", most_places, x) : "";
}

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
  std::ranges::stable_sort(groups, [&](const Group& a, const Group& b) {
    return hue_place(a, arrangement) < hue_place(b, arrangement);
  });
  return groups;
}

Spread spread_of(const std::vector<double>& values, SpreadBand band) {
  std::vector<double> finite;
  for (const double value : values)
    if (std::isfinite(value)) finite.push_back(value);
  const SampleMoments moments = sample_moments(finite);
  Spread spread{moments.mean, no_interval, no_interval};
  if (finite.size() < 2 || band == SpreadBand::none) return spread;
  if (band == SpreadBand::range) {
    const auto [low, high] = std::ranges::minmax_element(finite);
    return {moments.mean, *low, *high};
  }
  if (band == SpreadBand::deviation)
    return {moments.mean, moments.mean - moments.deviation, moments.mean + moments.deviation};
  const MeanInterval interval = mean_interval(moments);
  return {moments.mean, interval.low, interval.high};
}

}  // namespace orrery
